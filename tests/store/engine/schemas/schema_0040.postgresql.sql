CREATE TABLE public.ad_cost (
    offer_id integer NOT NULL,
    affiliate_id integer NOT NULL,
    day character varying(10) NOT NULL,
    sub8 character varying(500) NOT NULL,
    cost bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.advertiser (
    id character varying(24) NOT NULL,
    title character varying(200) NOT NULL,
    contact character varying(200),
    email character varying(254),
    url text,
    skype character varying(200),
    note text,
    manager_id character varying(24),
    allowed_ip jsonb NOT NULL,
    disallowed_ip jsonb NOT NULL,
    hash_password character varying(200),
    address_1 text,
    address_2 text,
    city character varying(200),
    country character varying(2),
    zip_code character varying(32),
    vat_code character varying(64),
    sub_accounts jsonb NOT NULL,
    consider_personal_targeting_only boolean NOT NULL,
    tags jsonb NOT NULL,
    password_hash character varying(200),
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    signing_secret text,
    status character varying(16) DEFAULT 'active'::character varying NOT NULL,
    sees_affiliates boolean DEFAULT false NOT NULL,
    last_login_at bigint,
    hide_conversion_status boolean DEFAULT false NOT NULL,
    custom_fields jsonb DEFAULT '{}'::jsonb NOT NULL,
    host_uniqueness_number_unique_clicks integer,
    host_uniqueness_time_frame integer,
    subaccounts_encryption boolean DEFAULT false NOT NULL,
    subs_key character varying(32)
);
CREATE TABLE public.advertiser_blacklist (
    advertiser_id character varying(24) NOT NULL,
    affiliate_id integer NOT NULL,
    created_at bigint NOT NULL,
    enabled boolean DEFAULT false NOT NULL
);
CREATE TABLE public.affiliate (
    id integer NOT NULL,
    email character varying(254) NOT NULL,
    login character varying(200) NOT NULL,
    password_hash character varying(200) NOT NULL,
    status character varying(16) NOT NULL,
    name character varying(200),
    contact_person character varying(200),
    notes text NOT NULL,
    level integer NOT NULL,
    ref_percent bigint,
    ref integer,
    manager_id character varying(24),
    payment_systems jsonb NOT NULL,
    custom_fields jsonb NOT NULL,
    tags jsonb NOT NULL,
    sub_accounts jsonb NOT NULL,
    postback_secret character varying(40) NOT NULL,
    address_1 text,
    address_2 text,
    city character varying(200),
    country character varying(2),
    zip_code character varying(32),
    phone character varying(64),
    company character varying(200),
    permissions jsonb NOT NULL,
    server_clicks boolean NOT NULL,
    server_ip jsonb NOT NULL,
    last_login_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    statistics_revenue character varying(16),
    statistics_rows character varying(16),
    email_state character varying(16) DEFAULT 'not asked'::character varying NOT NULL,
    status_reason text DEFAULT ''::text NOT NULL
);
CREATE SEQUENCE public.affiliate_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.affiliate_id_seq OWNED BY public.affiliate.id;
CREATE TABLE public.affiliate_login (
    name text NOT NULL,
    affiliate_id integer NOT NULL
);
CREATE TABLE public.affiliate_postback (
    id integer NOT NULL,
    affiliate_id integer NOT NULL,
    offer_id integer,
    url text NOT NULL,
    status character varying(16),
    goal character varying(255),
    forced boolean NOT NULL,
    dead_in_row integer NOT NULL,
    paused_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE SEQUENCE public.affiliate_postback_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.affiliate_postback_id_seq OWNED BY public.affiliate_postback.id;
CREATE TABLE public.alembic_version (
    version_num character varying(32) NOT NULL
);
CREATE TABLE public.alert (
    id character varying(24) NOT NULL,
    kind character varying(16) NOT NULL,
    finding character varying(40) NOT NULL,
    subject character varying(400) NOT NULL,
    open_key character varying(450),
    source character varying(300) NOT NULL,
    evidence jsonb NOT NULL,
    offer_id integer,
    affiliate_id integer,
    advertiser_id character varying(24),
    opened_at bigint NOT NULL,
    seen_at bigint NOT NULL,
    closed_at bigint
);
CREATE TABLE public.alert_choice (
    owner character varying(40) NOT NULL,
    ways jsonb NOT NULL,
    quiet_from character varying(5) NOT NULL,
    quiet_until character varying(5) NOT NULL,
    errors_pass boolean NOT NULL,
    digest character varying(8) NOT NULL,
    digest_hour integer NOT NULL,
    digest_at bigint,
    mail_ends boolean DEFAULT false NOT NULL
);
CREATE TABLE public.alert_notice (
    owner character varying(40) NOT NULL,
    alert_id character varying(24) NOT NULL,
    due_at bigint NOT NULL
);
CREATE TABLE public.api_key (
    digest character varying(64) NOT NULL,
    sealed text NOT NULL,
    owner_kind character varying(16) NOT NULL,
    owner_id character varying(24) NOT NULL,
    created_at bigint NOT NULL,
    expires_at bigint,
    id character varying(24) DEFAULT ''::character varying NOT NULL,
    is_first boolean DEFAULT true NOT NULL,
    name character varying(100) DEFAULT ''::character varying NOT NULL,
    scopes jsonb DEFAULT '[]'::jsonb NOT NULL,
    networks jsonb DEFAULT '[]'::jsonb NOT NULL,
    last_used_at bigint,
    successor_id character varying(24) DEFAULT ''::character varying NOT NULL,
    statistics_revenue character varying(16),
    statistics_rows character varying(16)
);
CREATE TABLE public.audit (
    id character varying(24) NOT NULL,
    at bigint NOT NULL,
    staff_id character varying(24) NOT NULL,
    request_id character varying(64) NOT NULL,
    method character varying(64) NOT NULL,
    what character varying(32) NOT NULL,
    key character varying(200) NOT NULL,
    changes jsonb NOT NULL,
    affiliate_id integer,
    client_request_id character varying(64) DEFAULT ''::character varying NOT NULL,
    address character varying(45) DEFAULT ''::character varying NOT NULL,
    advertiser_id character varying(24) DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.automation_change (
    id character varying(24) NOT NULL,
    rule_id character varying(24) NOT NULL,
    kind character varying(8) NOT NULL,
    type character varying(8) NOT NULL,
    by character varying(40) NOT NULL,
    at bigint NOT NULL,
    offers text NOT NULL,
    affiliates text NOT NULL,
    rule jsonb NOT NULL
);
CREATE TABLE public.automation_firing (
    id character varying(24) NOT NULL,
    rule_id character varying(24) NOT NULL,
    fired_at bigint NOT NULL,
    element jsonb NOT NULL,
    element_key text NOT NULL,
    offer_id integer,
    affiliate_id integer,
    advertiser_id character varying(24),
    sub_index character varying(4) NOT NULL,
    sub_value text NOT NULL,
    since bigint NOT NULL,
    until bigint NOT NULL,
    met_until bigint NOT NULL,
    readings jsonb NOT NULL,
    action character varying(24) NOT NULL,
    changed jsonb NOT NULL,
    undone_at bigint,
    undone_by character varying(40) NOT NULL,
    webhook_due bigint,
    webhook_attempts integer NOT NULL
);
CREATE TABLE public.automation_rule (
    id character varying(24) NOT NULL,
    kind character varying(8) NOT NULL,
    title character varying(200) NOT NULL,
    is_on boolean NOT NULL,
    each jsonb NOT NULL,
    offers jsonb NOT NULL,
    affiliates jsonb NOT NULL,
    advertisers jsonb NOT NULL,
    countries jsonb NOT NULL,
    conditions jsonb NOT NULL,
    hours integer NOT NULL,
    minimum integer NOT NULL,
    action character varying(24) NOT NULL,
    new_status character varying(16) NOT NULL,
    first_goal character varying(255) NOT NULL,
    second_goal character varying(255) NOT NULL,
    notify_author boolean NOT NULL,
    notify_manager boolean NOT NULL,
    webhook text NOT NULL,
    created_by character varying(24) NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    removed_at bigint,
    judged_until bigint NOT NULL,
    failure text NOT NULL,
    subs jsonb DEFAULT '[]'::jsonb NOT NULL
);
CREATE TABLE public.category (
    id character varying(24) NOT NULL,
    title character varying(200) NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.comparison (
    id character varying(24) NOT NULL,
    side character varying(16) NOT NULL,
    subject_id character varying(24) NOT NULL,
    file_name character varying(200) NOT NULL,
    created_by character varying(40) NOT NULL,
    created_at bigint NOT NULL,
    day_from character varying(10) NOT NULL,
    day_to character varying(10) NOT NULL,
    zone character varying(64) NOT NULL,
    columns jsonb NOT NULL,
    words jsonb NOT NULL,
    sums jsonb NOT NULL,
    rows integer NOT NULL,
    differences jsonb NOT NULL,
    accepted jsonb NOT NULL
);
CREATE TABLE public.connection (
    offer_id integer NOT NULL,
    affiliate_id integer NOT NULL,
    enabled boolean NOT NULL,
    changed_at bigint NOT NULL
);
CREATE TABLE public.conversion (
    id character varying(24) NOT NULL,
    offer_id integer NOT NULL,
    goal character varying(255) NOT NULL,
    identity character varying(258) NOT NULL,
    version integer NOT NULL,
    action_id character varying(255) NOT NULL,
    affiliate_id integer NOT NULL,
    advertiser_id character varying(24) NOT NULL,
    status character varying(16) NOT NULL,
    sent_status character varying(16) NOT NULL,
    goal_title character varying(255) NOT NULL,
    comment text NOT NULL,
    payment_type character varying(8) NOT NULL,
    payment jsonb,
    modifiers jsonb NOT NULL,
    currency character varying(3) NOT NULL,
    rate bigint NOT NULL,
    sum bigint NOT NULL,
    charge bigint NOT NULL,
    payout bigint NOT NULL,
    charge_base bigint NOT NULL,
    payout_base bigint NOT NULL,
    custom_fields jsonb NOT NULL,
    click_id character varying(24) NOT NULL,
    click_time bigint NOT NULL,
    click jsonb NOT NULL,
    country character varying(2) NOT NULL,
    os character varying(64) NOT NULL,
    device character varying(32) NOT NULL,
    browser character varying(64) NOT NULL,
    click_ip character varying(45) NOT NULL,
    call_ip character varying(45) NOT NULL,
    user_id character varying(255) NOT NULL,
    journal character varying(40) NOT NULL,
    "position" bigint NOT NULL,
    hold_until bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    referrer_id integer,
    referral_percent bigint NOT NULL,
    test boolean DEFAULT false NOT NULL,
    repeated boolean DEFAULT false NOT NULL,
    from_click_address boolean DEFAULT false NOT NULL,
    promo_code character varying(36),
    quality_held boolean DEFAULT false NOT NULL,
    signals integer DEFAULT 0 NOT NULL
);
CREATE TABLE public.conversion_event (
    conversion_id character varying(24) NOT NULL,
    version integer NOT NULL,
    at bigint NOT NULL,
    actor character varying(64) NOT NULL,
    status character varying(16) NOT NULL,
    charge bigint NOT NULL,
    payout bigint NOT NULL,
    currency character varying(3) NOT NULL,
    comment text NOT NULL
);
CREATE TABLE public.conversion_task (
    id bigint NOT NULL,
    kind character varying(8) NOT NULL,
    state character varying(8) NOT NULL,
    actor character varying(64) NOT NULL,
    item jsonb NOT NULL,
    created_at bigint NOT NULL
);
CREATE SEQUENCE public.conversion_task_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.conversion_task_id_seq OWNED BY public.conversion_task.id;
CREATE TABLE public.correction (
    id integer NOT NULL,
    affiliate_id integer NOT NULL,
    currency character varying(3) NOT NULL,
    amount bigint NOT NULL,
    comment text NOT NULL,
    created_by character varying(24) NOT NULL,
    created_at bigint NOT NULL,
    payment_id integer,
    removed_at bigint
);
CREATE SEQUENCE public.correction_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.correction_id_seq OWNED BY public.correction.id;
CREATE TABLE public.counter (
    name text NOT NULL,
    offer_id integer NOT NULL,
    limit_id character varying(24) NOT NULL,
    start bigint NOT NULL,
    until bigint,
    goal character varying(255),
    affiliate_id integer,
    country character varying(2),
    conversions bigint NOT NULL,
    budget bigint NOT NULL,
    notified boolean CONSTRAINT counter_told_not_null NOT NULL
);
CREATE TABLE public.currency (
    code character varying(3) NOT NULL,
    active boolean NOT NULL,
    min_payment bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.currency_rate (
    currency character varying(3) NOT NULL,
    from_at bigint NOT NULL,
    rate bigint NOT NULL,
    source character varying(8) NOT NULL
);
CREATE TABLE public.custom_field (
    id integer NOT NULL,
    name character varying(200) NOT NULL,
    required boolean NOT NULL,
    field_type character varying(16) NOT NULL,
    field_values jsonb,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE SEQUENCE public.custom_field_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.custom_field_id_seq OWNED BY public.custom_field.id;
CREATE TABLE public.delivery (
    id character varying(24) NOT NULL,
    job_id character varying(24) NOT NULL,
    sequence bigint CONSTRAINT delivery_number_not_null NOT NULL,
    subject_id character varying(24) CONSTRAINT delivery_conversion_id_not_null NOT NULL,
    postback_id integer NOT NULL,
    affiliate_id integer NOT NULL,
    offer_id integer NOT NULL,
    advertiser_id character varying(24) NOT NULL,
    goal character varying(255) NOT NULL,
    status character varying(16) NOT NULL,
    url text NOT NULL,
    host character varying(255) NOT NULL,
    attempts integer NOT NULL,
    next_at bigint NOT NULL,
    lease_until bigint NOT NULL,
    owner character varying(64) NOT NULL,
    forced boolean NOT NULL,
    created_at bigint NOT NULL,
    kind character varying(16) NOT NULL,
    body text
);
CREATE TABLE public.domain (
    id integer NOT NULL,
    url character varying(255) NOT NULL,
    use_https boolean NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE SEQUENCE public.domain_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.domain_id_seq OWNED BY public.domain.id;
CREATE TABLE public.edge (
    number integer NOT NULL,
    directory_id character varying(24) NOT NULL,
    slot integer NOT NULL,
    claimed_at bigint NOT NULL,
    ended_at bigint
);
CREATE TABLE public.edge_progress (
    edge integer NOT NULL,
    journal character varying(40) NOT NULL,
    "position" bigint NOT NULL,
    loaded_until bigint NOT NULL,
    begun_until bigint NOT NULL,
    used_until bigint DEFAULT '0'::bigint NOT NULL
);
CREATE TABLE public.email_confirmation (
    digest character varying(64) NOT NULL,
    affiliate_id integer NOT NULL,
    email character varying(254) NOT NULL,
    expires_at bigint NOT NULL,
    mail_id character varying(24) DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.erasure (
    number integer NOT NULL,
    subject character varying(16) NOT NULL,
    value character varying(255) NOT NULL,
    at bigint NOT NULL,
    staff_id character varying(24) NOT NULL,
    sql_at bigint,
    analytics_at bigint
);
CREATE SEQUENCE public.erasure_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.erasure_number_seq OWNED BY public.erasure.number;
CREATE TABLE public."fetch" (
    id bigint NOT NULL,
    offer_id integer NOT NULL,
    creative_id integer NOT NULL,
    url text NOT NULL,
    attempts integer NOT NULL,
    next_at bigint NOT NULL,
    created_at bigint NOT NULL
);
CREATE SEQUENCE public.fetch_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.fetch_id_seq OWNED BY public."fetch".id;
CREATE TABLE public.file (
    id character varying(32) NOT NULL,
    name character varying(255) NOT NULL,
    mime character varying(64) NOT NULL,
    size integer NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.first_answer (
    name character varying(64) NOT NULL,
    asked character varying(64) NOT NULL,
    sealed text NOT NULL,
    created_at bigint NOT NULL
);
CREATE TABLE public.held_change (
    id character varying(24) NOT NULL,
    kind character varying(16) NOT NULL,
    affiliate_id integer NOT NULL,
    subject_id integer NOT NULL,
    asked jsonb NOT NULL,
    before jsonb NOT NULL,
    state character varying(16) NOT NULL,
    author_id character varying(24) NOT NULL,
    decided_by character varying(24) NOT NULL,
    created_at bigint NOT NULL,
    decided_at bigint
);
CREATE TABLE public.inbox (
    id bigint NOT NULL,
    journal character varying(40) NOT NULL,
    "position" bigint NOT NULL,
    call bytea NOT NULL,
    click bytea,
    click_id character varying(24) NOT NULL,
    state character varying(8) NOT NULL,
    logged boolean NOT NULL,
    received_at bigint NOT NULL,
    offer_hash integer DEFAULT 0 NOT NULL
);
CREATE SEQUENCE public.inbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.inbox_id_seq OWNED BY public.inbox.id;
CREATE TABLE public.invoice (
    number integer NOT NULL,
    advertiser_id character varying(24) NOT NULL,
    status character varying(8) NOT NULL,
    currency character varying(3) NOT NULL,
    start_date character varying(10),
    end_date character varying(10),
    comment text,
    detail jsonb NOT NULL,
    computed boolean NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE SEQUENCE public.invoice_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.invoice_number_seq OWNED BY public.invoice.number;
CREATE TABLE public.job_turn (
    job character varying(40) NOT NULL,
    due_at bigint NOT NULL
);
CREATE TABLE public.ledger (
    affiliate_id integer NOT NULL,
    kind character varying(16) NOT NULL,
    source_id character varying(24) NOT NULL,
    version integer NOT NULL,
    currency character varying(3) NOT NULL,
    hold bigint NOT NULL,
    available bigint NOT NULL,
    at bigint NOT NULL
);
CREATE TABLE public.machine (
    directory_id character varying(24) NOT NULL,
    host character varying(255) NOT NULL,
    boot_id character varying(40) NOT NULL,
    directory text NOT NULL,
    roles character varying(64) NOT NULL,
    has_own_statistics boolean NOT NULL,
    seen_at bigint NOT NULL,
    stopped_at bigint,
    place character varying(44) DEFAULT ''::character varying NOT NULL,
    disk_free bigint,
    disk_total bigint,
    lag_ms bigint
);
CREATE TABLE public.mail (
    id character varying(24) NOT NULL,
    recipient character varying(254) NOT NULL,
    subject text NOT NULL,
    body text NOT NULL,
    attempts integer NOT NULL,
    next_at bigint NOT NULL,
    created_at bigint NOT NULL,
    html text DEFAULT ''::text NOT NULL
);
CREATE TABLE public.mail_attachment (
    mail_id character varying(24) NOT NULL,
    place integer NOT NULL,
    name character varying(200) NOT NULL,
    kind character varying(100) NOT NULL,
    content bytea NOT NULL
);
CREATE TABLE public.news (
    id character varying(24) NOT NULL,
    title character varying(200) NOT NULL,
    summary text NOT NULL,
    body text NOT NULL,
    published boolean NOT NULL,
    pinned boolean NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.offer (
    id integer NOT NULL,
    hash character varying(24) NOT NULL,
    advertiser_id character varying(24) NOT NULL,
    title character varying(500) NOT NULL,
    status character varying(16) NOT NULL,
    privacy character varying(16) NOT NULL,
    is_top boolean NOT NULL,
    bundle_id character varying(200) NOT NULL,
    external_offer_id character varying(200) NOT NULL,
    url text NOT NULL,
    url_preview text,
    trafficback_url text,
    macro_url text,
    cross_postback_url text,
    parallel_tracking_url text,
    impressions_url text,
    domain_id integer,
    redirect_type character varying(16) NOT NULL,
    allow_deeplink boolean NOT NULL,
    allow_impressions boolean NOT NULL,
    landings jsonb NOT NULL,
    last_number integer NOT NULL,
    payments jsonb NOT NULL,
    partner_payments jsonb NOT NULL,
    hide_payments boolean NOT NULL,
    enabled_commission_tiers boolean NOT NULL,
    commission_tiers jsonb NOT NULL,
    hold_period integer NOT NULL,
    is_cpi boolean NOT NULL,
    caps jsonb NOT NULL,
    personal_limits jsonb NOT NULL,
    caps_status jsonb NOT NULL,
    caps_timezone character varying(64),
    caps_goal_overcap character varying(255) NOT NULL,
    hide_caps boolean NOT NULL,
    is_redirect_overcap boolean NOT NULL,
    notice_percent_overcap integer,
    schedule jsonb,
    targeting jsonb NOT NULL,
    consider_personal_targeting_only boolean NOT NULL,
    countries jsonb NOT NULL,
    strictly_country boolean NOT NULL,
    restriction_os jsonb NOT NULL,
    restriction_isp jsonb NOT NULL,
    strictly_brands jsonb NOT NULL,
    strictly_devices jsonb NOT NULL,
    strictly_connection_type character varying(16) NOT NULL,
    sub_restrictions jsonb NOT NULL,
    sub_accounts jsonb NOT NULL,
    search_empty_sub integer,
    uniq_ip_only boolean NOT NULL,
    reject_not_uniq_ip boolean NOT NULL,
    allowed_ip text NOT NULL,
    disallowed_ip text NOT NULL,
    hash_password character varying(200),
    click_session character varying(64) NOT NULL,
    minimal_click_session character varying(64) NOT NULL,
    auto_offer_connect boolean NOT NULL,
    description_lang jsonb NOT NULL,
    kpi jsonb NOT NULL,
    notes text,
    note_aff text,
    note_sales text,
    sources jsonb NOT NULL,
    categories jsonb NOT NULL,
    smartlink_categories jsonb NOT NULL,
    tags jsonb NOT NULL,
    logo character varying(32),
    logo_source text,
    creatives jsonb NOT NULL,
    creatives_zip character varying(32),
    send_emails boolean NOT NULL,
    start_at bigint,
    stop_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    top_payout bigint NOT NULL,
    day_cap integer,
    total_cap integer,
    cr bigint NOT NULL,
    epc bigint NOT NULL,
    week_epc bigint NOT NULL,
    removed_at bigint,
    one_conversion_per_click boolean DEFAULT false NOT NULL,
    pixels boolean DEFAULT true NOT NULL,
    pixel_pages jsonb DEFAULT '[]'::jsonb NOT NULL,
    pixel_code character varying(40) DEFAULT ''::character varying NOT NULL,
    cross_postback_method character varying(4) DEFAULT 'get'::character varying NOT NULL,
    hold_type character varying(8) DEFAULT 'days'::character varying NOT NULL,
    host_uniqueness_type character varying(8) DEFAULT 'cookie'::character varying NOT NULL,
    freshness character varying(16) DEFAULT 'default'::character varying NOT NULL,
    sign_clicks_integration character varying(16) DEFAULT 'no_sign'::character varying NOT NULL,
    skad_app_id character varying(500) DEFAULT ''::character varying NOT NULL,
    redirect_param character varying(500) DEFAULT ''::character varying NOT NULL,
    product_feed_id character varying(500) DEFAULT ''::character varying NOT NULL,
    is_impression_overcap boolean DEFAULT false NOT NULL,
    hosts_only boolean DEFAULT false NOT NULL,
    additional_impression_destination_urls jsonb DEFAULT '[]'::jsonb NOT NULL,
    managers jsonb DEFAULT '[]'::jsonb NOT NULL,
    macros_replacement jsonb DEFAULT '{}'::jsonb NOT NULL,
    macros_replacement_enabled jsonb DEFAULT '[]'::jsonb NOT NULL,
    duplicate_clicks_threshold integer DEFAULT 0 NOT NULL,
    cross_postback_body text,
    privacy_level integer,
    quality character varying(8) DEFAULT 'count'::character varying NOT NULL
);
CREATE SEQUENCE public.offer_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.offer_id_seq OWNED BY public.offer.id;
CREATE TABLE public.offer_label (
    kind character varying(16) NOT NULL,
    value character varying(200) NOT NULL,
    offer_id integer NOT NULL
);
CREATE TABLE public.outbox (
    id bigint NOT NULL,
    target character varying(16) NOT NULL,
    payload bytea NOT NULL,
    row_count integer NOT NULL,
    batch character varying(24),
    created_at bigint NOT NULL
);
ALTER TABLE ONLY public.outbox ALTER COLUMN payload SET STORAGE EXTERNAL;
CREATE SEQUENCE public.outbox_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.outbox_id_seq OWNED BY public.outbox.id;
CREATE TABLE public.parallel_call (
    id bigint NOT NULL,
    offer_id integer NOT NULL,
    host character varying(255) NOT NULL,
    click bytea NOT NULL,
    created_at bigint NOT NULL
);
CREATE SEQUENCE public.parallel_call_id_seq
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.parallel_call_id_seq OWNED BY public.parallel_call.id;
CREATE TABLE public.past_edge (
    number integer NOT NULL,
    claimed_at bigint NOT NULL,
    ended_at bigint NOT NULL,
    directory_id character varying(24) NOT NULL,
    slot integer NOT NULL,
    journal character varying(40) NOT NULL
);
CREATE TABLE public.payment (
    id integer NOT NULL,
    affiliate_id integer NOT NULL,
    currency character varying(3) NOT NULL,
    amount bigint NOT NULL,
    status character varying(16) NOT NULL,
    comment text NOT NULL,
    created_by character varying(24) NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    paid_at bigint,
    note text DEFAULT ''::text NOT NULL,
    account text DEFAULT ''::text NOT NULL,
    system_id integer
);
CREATE TABLE public.payment_entry (
    kind character varying(16) NOT NULL,
    source_id character varying(24) NOT NULL,
    version integer NOT NULL,
    payment_id integer NOT NULL
);
CREATE SEQUENCE public.payment_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.payment_id_seq OWNED BY public.payment.id;
CREATE TABLE public.payment_request (
    id integer NOT NULL,
    affiliate_id integer NOT NULL,
    currency character varying(3) NOT NULL,
    amount bigint NOT NULL,
    system_id integer,
    comment text NOT NULL,
    status character varying(16) NOT NULL,
    reason text NOT NULL,
    payment_id integer,
    decided_by character varying(24) NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE SEQUENCE public.payment_request_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.payment_request_id_seq OWNED BY public.payment_request.id;
CREATE TABLE public.payment_system (
    id integer NOT NULL,
    lang_label character varying(200) NOT NULL,
    currency character varying(3),
    fields jsonb NOT NULL,
    last_field integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE SEQUENCE public.payment_system_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.payment_system_id_seq OWNED BY public.payment_system.id;
CREATE TABLE public.pixel (
    id integer NOT NULL,
    affiliate_id integer NOT NULL,
    offer_id integer NOT NULL,
    name character varying(200) NOT NULL,
    code text NOT NULL,
    code_type character varying(16) NOT NULL,
    is_active boolean NOT NULL,
    moderation_status integer NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE SEQUENCE public.pixel_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.pixel_id_seq OWNED BY public.pixel.id;
CREATE TABLE public.preference (
    owner character varying(40) NOT NULL,
    timezone character varying(64) NOT NULL,
    language character varying(8) NOT NULL,
    single_keys boolean NOT NULL,
    pages jsonb NOT NULL
);
CREATE TABLE public.preset (
    id character varying(24) NOT NULL,
    name character varying(200) NOT NULL,
    kind character varying(32) NOT NULL,
    permissions jsonb NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.product_feed (
    id character varying(24) NOT NULL,
    name character varying(200) NOT NULL,
    items integer NOT NULL,
    items_at bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    url text DEFAULT ''::text NOT NULL,
    last_error text DEFAULT ''::text NOT NULL,
    refresh_hours integer DEFAULT 24 NOT NULL,
    next_read_at bigint,
    claimed_until bigint,
    last_read_at bigint,
    etag character varying(300) DEFAULT ''::character varying NOT NULL,
    modified character varying(300) DEFAULT ''::character varying NOT NULL
);
CREATE TABLE public.product_item (
    id character varying(24) NOT NULL,
    feed_id character varying(24) NOT NULL,
    place integer NOT NULL,
    sku character varying(200) NOT NULL,
    brand character varying(200) NOT NULL,
    brand_sku character varying(200) NOT NULL,
    category character varying(200) NOT NULL,
    subcategory character varying(200) NOT NULL,
    name character varying(500) NOT NULL,
    url text NOT NULL,
    image_url text NOT NULL,
    description text NOT NULL,
    price character varying(30) NOT NULL,
    currency character varying(3) NOT NULL,
    availability character varying(50) NOT NULL
);
CREATE TABLE public.promo_code (
    id character varying(24) NOT NULL,
    code character varying(36) NOT NULL,
    folded character varying(36) NOT NULL,
    description character varying(130) NOT NULL,
    offer_id integer NOT NULL,
    affiliate_id integer NOT NULL,
    usage_limit integer,
    date_from bigint NOT NULL,
    date_to bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.rebuild (
    number integer NOT NULL,
    owner character varying(24) NOT NULL,
    stage character varying(16) NOT NULL,
    begun_at bigint NOT NULL,
    ended_at bigint
);
CREATE SEQUENCE public.rebuild_number_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.rebuild_number_seq OWNED BY public.rebuild.number;
CREATE TABLE public.recovery_code (
    digest character varying(64) NOT NULL,
    owner character varying(40) NOT NULL
);
CREATE TABLE public.report_mail (
    id character varying(24) NOT NULL,
    report_id character varying(24) NOT NULL,
    owner character varying(40) NOT NULL,
    every character varying(8) NOT NULL,
    weekday integer NOT NULL,
    hour integer NOT NULL,
    next_at bigint NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    files character varying(8) DEFAULT 'csv'::character varying NOT NULL
);
CREATE TABLE public.rule_change (
    kind character varying(16) NOT NULL,
    key character varying(24) NOT NULL,
    version bigint NOT NULL
);
CREATE TABLE public.rule_clock (
    id integer NOT NULL,
    version bigint NOT NULL
);
CREATE TABLE public.saved_report (
    id character varying(24) NOT NULL,
    owner character varying(40) NOT NULL,
    name character varying(100) NOT NULL,
    query text NOT NULL,
    shared boolean NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.second_factor (
    owner character varying(40) NOT NULL,
    sealed text NOT NULL,
    last_step bigint NOT NULL,
    created_at bigint NOT NULL,
    confirmed_at bigint
);
CREATE TABLE public.security_log (
    id character varying(24) NOT NULL,
    at bigint NOT NULL,
    event character varying(16) NOT NULL,
    outcome character varying(16) NOT NULL,
    actor_kind character varying(16) NOT NULL,
    actor_id character varying(24) NOT NULL,
    subject character varying(200) NOT NULL,
    address character varying(45) NOT NULL,
    user_agent character varying(300) NOT NULL,
    request_id character varying(64) NOT NULL,
    client_request_id character varying(64) NOT NULL
);
CREATE TABLE public.session (
    id character varying(24) NOT NULL,
    digest character varying(64) NOT NULL,
    owner_kind character varying(16) NOT NULL,
    owner_id character varying(24) NOT NULL,
    created_at bigint NOT NULL,
    last_used_at bigint NOT NULL,
    idle_until bigint NOT NULL,
    expires_at bigint NOT NULL,
    address character varying(64) NOT NULL,
    user_agent character varying(300) NOT NULL,
    second_factor boolean NOT NULL
);
CREATE TABLE public.setting (
    name character varying(64) NOT NULL,
    value jsonb NOT NULL
);
CREATE TABLE public.sign_in_failure (
    name character varying(64) NOT NULL,
    failures integer NOT NULL,
    since bigint NOT NULL
);
CREATE TABLE public.sign_in_link (
    digest character varying(64) NOT NULL,
    owner character varying(40) NOT NULL,
    mail_id character varying(24) NOT NULL,
    expires_at bigint NOT NULL
);
CREATE TABLE public.smartlink_category (
    id character varying(24) NOT NULL,
    name character varying(200) NOT NULL,
    domain_id integer,
    description text,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.source (
    id character varying(24) NOT NULL,
    title_lang jsonb NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL
);
CREATE TABLE public.staff (
    id character varying(24) NOT NULL,
    email character varying(254) NOT NULL,
    password_hash character varying(200),
    first_name character varying(200) NOT NULL,
    last_name character varying(200) NOT NULL,
    skype character varying(200) NOT NULL,
    work_hours character varying(200) NOT NULL,
    roles jsonb NOT NULL,
    last_login_at bigint,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    statistics_revenue character varying(16),
    statistics_rows character varying(16),
    status character varying(16) DEFAULT 'active'::character varying NOT NULL,
    whatsapp character varying(200) DEFAULT ''::character varying NOT NULL,
    telegram character varying(200) DEFAULT ''::character varying NOT NULL,
    viber character varying(200) DEFAULT ''::character varying NOT NULL,
    facebook character varying(200) DEFAULT ''::character varying NOT NULL,
    wechat character varying(200) DEFAULT ''::character varying NOT NULL,
    internal_telegram_username character varying(200) DEFAULT ''::character varying NOT NULL,
    permissions jsonb DEFAULT '{}'::jsonb NOT NULL
);
CREATE TABLE public.sub_block (
    firing_id character varying(24) NOT NULL,
    offer_id integer NOT NULL,
    affiliate_id integer NOT NULL,
    sub integer NOT NULL,
    value text NOT NULL
);
CREATE TABLE public.terms_acceptance (
    affiliate_id integer NOT NULL,
    version character varying(16) NOT NULL,
    accepted_at bigint NOT NULL
);
CREATE TABLE public.ticket (
    id integer NOT NULL,
    status character varying(8) NOT NULL,
    decision character varying(8),
    decided_by character varying(24),
    affiliate_id integer NOT NULL,
    offer_id integer,
    title character varying(600) NOT NULL,
    description text NOT NULL,
    created_at bigint NOT NULL,
    updated_at bigint NOT NULL,
    reason text DEFAULT ''::text NOT NULL,
    smartlink_id character varying(24),
    answers jsonb DEFAULT '[]'::jsonb NOT NULL,
    type character varying(20) DEFAULT 'offer'::character varying NOT NULL
);
CREATE SEQUENCE public.ticket_id_seq
    AS integer
    START WITH 1
    INCREMENT BY 1
    NO MINVALUE
    NO MAXVALUE
    CACHE 1;
ALTER SEQUENCE public.ticket_id_seq OWNED BY public.ticket.id;
CREATE TABLE public.url_check (
    offer_id integer NOT NULL,
    due_at bigint NOT NULL,
    result jsonb
);
CREATE TABLE public.url_host (
    host character varying(255) NOT NULL,
    visited_at bigint NOT NULL
);
CREATE TABLE public.usual_time (
    offer_id integer NOT NULL,
    goal character varying(255) NOT NULL,
    number bigint NOT NULL,
    first bigint NOT NULL,
    third bigint NOT NULL
);
ALTER TABLE ONLY public.affiliate ALTER COLUMN id SET DEFAULT nextval('public.affiliate_id_seq'::regclass);
ALTER TABLE ONLY public.affiliate_postback ALTER COLUMN id SET DEFAULT nextval('public.affiliate_postback_id_seq'::regclass);
ALTER TABLE ONLY public.conversion_task ALTER COLUMN id SET DEFAULT nextval('public.conversion_task_id_seq'::regclass);
ALTER TABLE ONLY public.correction ALTER COLUMN id SET DEFAULT nextval('public.correction_id_seq'::regclass);
ALTER TABLE ONLY public.custom_field ALTER COLUMN id SET DEFAULT nextval('public.custom_field_id_seq'::regclass);
ALTER TABLE ONLY public.domain ALTER COLUMN id SET DEFAULT nextval('public.domain_id_seq'::regclass);
ALTER TABLE ONLY public.erasure ALTER COLUMN number SET DEFAULT nextval('public.erasure_number_seq'::regclass);
ALTER TABLE ONLY public."fetch" ALTER COLUMN id SET DEFAULT nextval('public.fetch_id_seq'::regclass);
ALTER TABLE ONLY public.inbox ALTER COLUMN id SET DEFAULT nextval('public.inbox_id_seq'::regclass);
ALTER TABLE ONLY public.invoice ALTER COLUMN number SET DEFAULT nextval('public.invoice_number_seq'::regclass);
ALTER TABLE ONLY public.offer ALTER COLUMN id SET DEFAULT nextval('public.offer_id_seq'::regclass);
ALTER TABLE ONLY public.outbox ALTER COLUMN id SET DEFAULT nextval('public.outbox_id_seq'::regclass);
ALTER TABLE ONLY public.parallel_call ALTER COLUMN id SET DEFAULT nextval('public.parallel_call_id_seq'::regclass);
ALTER TABLE ONLY public.payment ALTER COLUMN id SET DEFAULT nextval('public.payment_id_seq'::regclass);
ALTER TABLE ONLY public.payment_request ALTER COLUMN id SET DEFAULT nextval('public.payment_request_id_seq'::regclass);
ALTER TABLE ONLY public.payment_system ALTER COLUMN id SET DEFAULT nextval('public.payment_system_id_seq'::regclass);
ALTER TABLE ONLY public.pixel ALTER COLUMN id SET DEFAULT nextval('public.pixel_id_seq'::regclass);
ALTER TABLE ONLY public.rebuild ALTER COLUMN number SET DEFAULT nextval('public.rebuild_number_seq'::regclass);
ALTER TABLE ONLY public.ticket ALTER COLUMN id SET DEFAULT nextval('public.ticket_id_seq'::regclass);
INSERT INTO public.ad_cost VALUES (10, 10, 'day 0', 'sub8 0', 10, 10);
INSERT INTO public.ad_cost VALUES (11, 11, 'day 1', 'sub8 1', 11, 11);
INSERT INTO public.advertiser VALUES ('0123456789abcdef01234560', 'title 0', 'contact 0', 'email 0', 'url 0', 'skype 0', 'note 0', '0123456789abcdef01234560', '[]', '[]', 'hash_password 0', 'address_1 0', 'address_2 0', 'city 0', 'US', 'zip_code 0', 'vat_code 0', '[]', false, '[]', 'password_hash 0', 10, 10, 'signing_secret 0', 'active', false, NULL, false, '{}', NULL, NULL, false, NULL);
INSERT INTO public.advertiser VALUES ('0123456789abcdef01234561', 'title 1', 'contact 1', 'email 1', 'url 1', 'skype 1', 'note 1', '0123456789abcdef01234561', '[]', '[]', 'hash_password 1', 'address_1 1', 'address_2 1', 'city 1', 'EU', 'zip_code 1', 'vat_code 1', '[]', true, '[]', 'password_hash 1', 11, 11, 'signing_secret 1', 'active', false, NULL, false, '{}', NULL, NULL, false, NULL);
INSERT INTO public.advertiser_blacklist VALUES ('0123456789abcdef01234560', 10, 10, false);
INSERT INTO public.advertiser_blacklist VALUES ('0123456789abcdef01234561', 11, 11, false);
INSERT INTO public.affiliate VALUES (10, 'email 0', 'login 0', 'password_hash 0', 'not active', 'name 0', 'contact_person 0', 'notes 0', 10, 125000, 10, '0123456789abcdef01234560', '[]', '[]', '[]', '[]', 'postback_secret 0', 'address_1 0', 'address_2 0', 'city 0', 'US', 'zip_code 0', 'phone 0', 'company 0', '{}', false, '[]', 10, 10, 10, 'istics_revenue 0', 'tatistics_rows 0', 'not asked', '');
INSERT INTO public.affiliate VALUES (11, 'email 1', 'login 1', 'password_hash 1', 'active', 'name 1', 'contact_person 1', 'notes 1', 11, 250000, 11, '0123456789abcdef01234561', '[]', '[]', '[]', '[]', 'postback_secret 1', 'address_1 1', 'address_2 1', 'city 1', 'EU', 'zip_code 1', 'phone 1', 'company 1', '{}', true, '[]', 11, 11, 11, 'istics_revenue 1', 'tatistics_rows 1', 'waiting', '');
INSERT INTO public.affiliate_login VALUES ('name 0', 10);
INSERT INTO public.affiliate_login VALUES ('name 1', 11);
INSERT INTO public.affiliate_postback VALUES (10, 10, 10, 'url 0', 'status 0', 'goal 0', false, 10, 10, 10, 10);
INSERT INTO public.affiliate_postback VALUES (11, 11, 11, 'url 1', 'status 1', 'goal 1', true, 11, 11, 11, 11);
INSERT INTO public.alembic_version VALUES ('0040');
INSERT INTO public.alert VALUES ('0123456789abcdef01234560', 'kind 0', 'finding 0', 'subject 0', 'open_key 0', 'source 0', '[]', 10, 10, 'advertiser_id 0', 10, 10, 10);
INSERT INTO public.alert VALUES ('0123456789abcdef01234561', 'kind 1', 'finding 1', 'subject 1', 'open_key 1', 'source 1', '[]', 11, 11, 'advertiser_id 1', 11, 11, 11);
INSERT INTO public.alert_choice VALUES ('owner 0', '[]', '0', '0', false, 'digest 0', 10, 10, false);
INSERT INTO public.alert_choice VALUES ('owner 1', '[]', '1', '1', true, 'digest 1', 11, 11, true);
INSERT INTO public.alert_notice VALUES ('owner 0', 'alert_id 0', 10);
INSERT INTO public.alert_notice VALUES ('owner 1', 'alert_id 1', 11);
INSERT INTO public.api_key VALUES ('digest 0', 'sealed 0', 'staff', '0123456789abcdef01234560', 10, 10, '0123456789abcdef01234560', false, 'name 0', '[]', '[]', 10, '0123456789abcdef01234560', 'istics_revenue 0', 'tatistics_rows 0');
INSERT INTO public.api_key VALUES ('digest 1', 'sealed 1', 'affiliate', '0123456789abcdef01234561', 11, 11, '0123456789abcdef01234561', true, 'name 1', '[]', '[]', 11, '0123456789abcdef01234561', 'istics_revenue 1', 'tatistics_rows 1');
INSERT INTO public.audit VALUES ('0123456789abcdef01234560', 10, '0123456789abcdef01234560', 'request_id 0', 'method 0', 'what 0', 'key 0', '[]', 10, 'client_request_id 0', 'address 0', '');
INSERT INTO public.audit VALUES ('0123456789abcdef01234561', 11, '0123456789abcdef01234561', 'request_id 1', 'method 1', 'what 1', 'key 1', '[]', 11, 'client_request_id 1', 'address 1', '');
INSERT INTO public.automation_change VALUES ('0123456789abcdef01234560', 'rule_id 0', 'kind 0', 'type 0', 'by 0', 10, 'offers 0', 'affiliates 0', '[]');
INSERT INTO public.automation_change VALUES ('0123456789abcdef01234561', 'rule_id 1', 'kind 1', 'type 1', 'by 1', 11, 'offers 1', 'affiliates 1', '[]');
INSERT INTO public.automation_firing VALUES ('0123456789abcdef01234560', 'rule_id 0', 10, '[]', 'element_key 0', 10, 10, 'advertiser_id 0', '0', 'sub_value 0', 10, 10, 10, '[]', 'action 0', '[]', 10, 'undone_by 0', 10, 10);
INSERT INTO public.automation_firing VALUES ('0123456789abcdef01234561', 'rule_id 1', 11, '[]', 'element_key 1', 11, 11, 'advertiser_id 1', '1', 'sub_value 1', 11, 11, 11, '[]', 'action 1', '[]', 11, 'undone_by 1', 11, 11);
INSERT INTO public.automation_rule VALUES ('0123456789abcdef01234560', 'kind 0', 'title 0', false, '[]', '[]', '[]', '[]', '[]', '[]', 10, 10, 'action 0', 'new_status 0', 'first_goal 0', 'second_goal 0', false, false, 'webhook 0', 'created_by 0', 10, 10, 10, 10, 'failure 0', '[]');
INSERT INTO public.automation_rule VALUES ('0123456789abcdef01234561', 'kind 1', 'title 1', true, '[]', '[]', '[]', '[]', '[]', '[]', 11, 11, 'action 1', 'new_status 1', 'first_goal 1', 'second_goal 1', true, true, 'webhook 1', 'created_by 1', 11, 11, 11, 11, 'failure 1', '[]');
INSERT INTO public.category VALUES ('0123456789abcdef01234560', 'title 0', 10, 10);
INSERT INTO public.category VALUES ('0123456789abcdef01234561', 'title 1', 11, 11);
INSERT INTO public.comparison VALUES ('0123456789abcdef01234560', 'side 0', 'subject_id 0', 'file_name 0', 'created_by 0', 10, 'day_from 0', 'day_to 0', 'zone 0', '[]', '[]', '[]', 10, '[]', '[]');
INSERT INTO public.comparison VALUES ('0123456789abcdef01234561', 'side 1', 'subject_id 1', 'file_name 1', 'created_by 1', 11, 'day_from 1', 'day_to 1', 'zone 1', '[]', '[]', '[]', 11, '[]', '[]');
INSERT INTO public.connection VALUES (10, 10, false, 10);
INSERT INTO public.connection VALUES (11, 11, true, 11);
INSERT INTO public.conversion VALUES ('0123456789abcdef01234560', 10, 'goal 0', 'identity 0', 10, 'action_id 0', 10, '0123456789abcdef01234560', 'status 0', 'sent_status 0', 'goal_title 0', 'comment 0', 't_type 0', '[]', '[]', 'USD', 125000000000, 125000, 125000, 125000, 125000, 125000, '[]', '0123456789abcdef01234560', 10, '[]', 'US', 'os 0', 'device 0', 'browser 0', 'click_ip 0', 'call_ip 0', 'user_id 0', 'journal 0', 10, 10, 10, 10, 10, 125000, false, false, false, NULL, false, 0);
INSERT INTO public.conversion VALUES ('0123456789abcdef01234561', 11, 'goal 1', 'identity 1', 11, 'action_id 1', 11, '0123456789abcdef01234561', 'status 1', 'sent_status 1', 'goal_title 1', 'comment 1', 't_type 1', '[]', '[]', 'EUR', 250000000000, 250000, 250000, 250000, 250000, 250000, '[]', '0123456789abcdef01234561', 11, '[]', 'EU', 'os 1', 'device 1', 'browser 1', 'click_ip 1', 'call_ip 1', 'user_id 1', 'journal 1', 11, 11, 11, 11, 11, 250000, true, true, true, NULL, false, 0);
INSERT INTO public.conversion_event VALUES ('0123456789abcdef01234560', 10, 10, 'actor 0', 'status 0', 125000, 125000, 'USD', 'comment 0');
INSERT INTO public.conversion_event VALUES ('0123456789abcdef01234561', 11, 11, 'actor 1', 'status 1', 250000, 250000, 'EUR', 'comment 1');
INSERT INTO public.conversion_task VALUES (10, 'kind 0', 'state 0', 'actor 0', '[]', 10);
INSERT INTO public.conversion_task VALUES (11, 'kind 1', 'state 1', 'actor 1', '[]', 11);
INSERT INTO public.correction VALUES (10, 10, '0', 10, 'comment 0', 'created_by 0', 10, NULL, NULL);
INSERT INTO public.correction VALUES (11, 11, '1', 11, 'comment 1', 'created_by 1', 11, NULL, NULL);
INSERT INTO public.counter VALUES ('name 0', 10, '0123456789abcdef01234560', 10, 10, 'goal 0', 10, 'US', 10, 125000, false);
INSERT INTO public.counter VALUES ('name 1', 11, '0123456789abcdef01234561', 11, 11, 'goal 1', 11, 'EU', 11, 250000, true);
INSERT INTO public.currency VALUES ('USD', false, 125000, 10);
INSERT INTO public.currency VALUES ('EUR', true, 250000, 11);
INSERT INTO public.currency_rate VALUES ('USD', 10, 125000000000, 'source 0');
INSERT INTO public.currency_rate VALUES ('EUR', 11, 250000000000, 'source 1');
INSERT INTO public.custom_field VALUES (10, 'name 0', false, 'text', '[]', 10, 10);
INSERT INTO public.custom_field VALUES (11, 'name 1', true, 'textarea', '[]', 11, 11);
INSERT INTO public.delivery VALUES ('0123456789abcdef01234560', '0123456789abcdef01234560', 10, '0123456789abcdef01234560', 10, 10, 10, '0123456789abcdef01234560', 'goal 0', 'status 0', 'url 0', 'host 0', 10, 10, 10, 'owner 0', false, 10, 'kind 0', NULL);
INSERT INTO public.delivery VALUES ('0123456789abcdef01234561', '0123456789abcdef01234561', 11, '0123456789abcdef01234561', 11, 11, 11, '0123456789abcdef01234561', 'goal 1', 'status 1', 'url 1', 'host 1', 11, 11, 11, 'owner 1', true, 11, 'kind 1', NULL);
INSERT INTO public.domain VALUES (10, 'url 0', false, 10, 10);
INSERT INTO public.domain VALUES (11, 'url 1', true, 11, 11);
INSERT INTO public.edge VALUES (10, '0123456789abcdef01234560', 10, 10, NULL);
INSERT INTO public.edge VALUES (11, '0123456789abcdef01234561', 11, 11, NULL);
INSERT INTO public.edge_progress VALUES (10, 'journal 0', 10, 10, 10, 10);
INSERT INTO public.edge_progress VALUES (11, 'journal 1', 11, 11, 11, 11);
INSERT INTO public.email_confirmation VALUES ('digest 0', 10, 'email 0', 10, '');
INSERT INTO public.email_confirmation VALUES ('digest 1', 11, 'email 1', 11, '');
INSERT INTO public.erasure VALUES (10, 'subject 0', 'value 0', 10, '0123456789abcdef01234560', 10, 10);
INSERT INTO public.erasure VALUES (11, 'subject 1', 'value 1', 11, '0123456789abcdef01234561', 11, 11);
INSERT INTO public."fetch" VALUES (10, 10, 10, 'url 0', 10, 10, 10);
INSERT INTO public."fetch" VALUES (11, 11, 11, 'url 1', 11, 11, 11);
INSERT INTO public.file VALUES ('id 0', 'name 0', 'mime 0', 10, 10);
INSERT INTO public.file VALUES ('id 1', 'name 1', 'mime 1', 11, 11);
INSERT INTO public.first_answer VALUES ('name 0', 'asked 0', 'sealed 0', 10);
INSERT INTO public.first_answer VALUES ('name 1', 'asked 1', 'sealed 1', 11);
INSERT INTO public.held_change VALUES ('0123456789abcdef01234560', 'kind 0', 10, 10, '[]', '[]', 'state 0', 'author_id 0', 'decided_by 0', 10, 10);
INSERT INTO public.held_change VALUES ('0123456789abcdef01234561', 'kind 1', 11, 11, '[]', '[]', 'state 1', 'author_id 1', 'decided_by 1', 11, 11);
INSERT INTO public.inbox VALUES (10, 'journal 0', 10, '\x01', '\x01', '0123456789abcdef01234560', 'state 0', false, 10, 0);
INSERT INTO public.inbox VALUES (11, 'journal 1', 11, '\x0101', '\x0101', '0123456789abcdef01234561', 'state 1', true, 11, 0);
INSERT INTO public.invoice VALUES (10, '0123456789abcdef01234560', 'paid', 'USD', 'art_date 0', 'end_date 0', 'comment 0', '[]', false, 10, 10);
INSERT INTO public.invoice VALUES (11, '0123456789abcdef01234561', 'unpaid', 'EUR', 'art_date 1', 'end_date 1', 'comment 1', '[]', true, 11, 11);
INSERT INTO public.job_turn VALUES ('job 0', 10);
INSERT INTO public.job_turn VALUES ('job 1', 11);
INSERT INTO public.ledger VALUES (10, 'kind 0', '0123456789abcdef01234560', 10, 'USD', 125000, 125000, 10);
INSERT INTO public.ledger VALUES (11, 'kind 1', '0123456789abcdef01234561', 11, 'EUR', 250000, 250000, 11);
INSERT INTO public.machine VALUES ('directory_id 0', 'host 0', 'boot_id 0', 'directory 0', 'roles 0', false, 10, 10, 'place 0', NULL, NULL, NULL);
INSERT INTO public.machine VALUES ('directory_id 1', 'host 1', 'boot_id 1', 'directory 1', 'roles 1', true, 11, 11, 'place 1', NULL, NULL, NULL);
INSERT INTO public.mail VALUES ('0123456789abcdef01234560', 'recipient 0', 'subject 0', 'body 0', 10, 10, 10, '');
INSERT INTO public.mail VALUES ('0123456789abcdef01234561', 'recipient 1', 'subject 1', 'body 1', 11, 11, 11, '');
INSERT INTO public.mail_attachment VALUES ('mail_id 0', 10, 'name 0', 'kind 0', '\x636f6e74656e742030');
INSERT INTO public.mail_attachment VALUES ('mail_id 1', 11, 'name 1', 'kind 1', '\x636f6e74656e742031');
INSERT INTO public.news VALUES ('0123456789abcdef01234560', 'title 0', 'summary 0', 'body 0', false, false, 10, 10);
INSERT INTO public.news VALUES ('0123456789abcdef01234561', 'title 1', 'summary 1', 'body 1', true, true, 11, 11);
INSERT INTO public.offer VALUES (10, '0123456789abcdef01234560', '0123456789abcdef01234560', 'title 0', 'status 0', 'privacy 0', false, 'bundle_id 0', 'external_offer_id 0', 'url 0', 'url_preview 0', 'trafficback_url 0', 'macro_url 0', 'cross_postback_url 0', 'parallel_tracking_url 0', 'impressions_url 0', 10, 'redirect_type 0', false, false, '[]', 10, '[]', '[]', false, false, '[]', 10, false, '[]', '[]', '[]', 'caps_timezone 0', 'caps_goal_overcap 0', false, false, 10, '[]', '[]', false, '[]', false, '[]', '[]', '[]', '[]', 'onnection_type 0', '[]', '[]', 10, false, false, 'allowed_ip 0', 'disallowed_ip 0', 'hash_password 0', 'click_session 0', 'minimal_click_session 0', false, '[]', '[]', 'notes 0', 'note_aff 0', 'note_sales 0', '[]', '[]', '[]', '[]', 'logo 0', 'logo_source 0', '[]', 'creatives_zip 0', false, 10, 10, 10, 10, 125000, 10, 10, 125000, 125000, 125000, 10, false, false, '[]', 'pixel_code 0', 'get', 'days', 'cookie', 'default', 'no_sign', '', '', '', false, false, '[]', '[]', '{}', '[]', 0, NULL, NULL, 'count');
INSERT INTO public.offer VALUES (11, '0123456789abcdef01234561', '0123456789abcdef01234561', 'title 1', 'status 1', 'privacy 1', true, 'bundle_id 1', 'external_offer_id 1', 'url 1', 'url_preview 1', 'trafficback_url 1', 'macro_url 1', 'cross_postback_url 1', 'parallel_tracking_url 1', 'impressions_url 1', 11, 'redirect_type 1', true, true, '[]', 11, '[]', '[]', true, true, '[]', 11, true, '[]', '[]', '[]', 'caps_timezone 1', 'caps_goal_overcap 1', true, true, 11, '[]', '[]', true, '[]', true, '[]', '[]', '[]', '[]', 'onnection_type 1', '[]', '[]', 11, true, true, 'allowed_ip 1', 'disallowed_ip 1', 'hash_password 1', 'click_session 1', 'minimal_click_session 1', true, '[]', '[]', 'notes 1', 'note_aff 1', 'note_sales 1', '[]', '[]', '[]', '[]', 'logo 1', 'logo_source 1', '[]', 'creatives_zip 1', true, 11, 11, 11, 11, 250000, 11, 11, 250000, 250000, 250000, 11, true, true, '[]', 'pixel_code 1', 'get', 'days', 'cookie', 'default', 'no_sign', '', '', '', false, false, '[]', '[]', '{}', '[]', 0, NULL, NULL, 'count');
INSERT INTO public.offer_label VALUES ('kind 0', 'value 0', 10);
INSERT INTO public.offer_label VALUES ('kind 1', 'value 1', 11);
INSERT INTO public.outbox VALUES (10, 'target 0', '\x01', 10, '0123456789abcdef01234560', 10);
INSERT INTO public.outbox VALUES (11, 'target 1', '\x0101', 11, '0123456789abcdef01234561', 11);
INSERT INTO public.parallel_call VALUES (10, 10, 'host 0', '\x01', 10);
INSERT INTO public.parallel_call VALUES (11, 11, 'host 1', '\x0101', 11);
INSERT INTO public.past_edge VALUES (10, 10, 10, 'directory_id 0', 10, 'journal 0');
INSERT INTO public.past_edge VALUES (11, 11, 11, 'directory_id 1', 11, 'journal 1');
INSERT INTO public.payment VALUES (10, 10, 'USD', 125000, 'created', 'comment 0', '0123456789abcdef01234560', 10, 10, 10, '', '', NULL);
INSERT INTO public.payment VALUES (11, 11, 'EUR', 250000, 'paid', 'comment 1', '0123456789abcdef01234561', 11, 11, 11, '', '', NULL);
INSERT INTO public.payment_entry VALUES ('kind 0', '0123456789abcdef01234560', 10, 10);
INSERT INTO public.payment_entry VALUES ('kind 1', '0123456789abcdef01234561', 11, 11);
INSERT INTO public.payment_request VALUES (10, 10, '0', 10, 10, 'comment 0', 'status 0', 'reason 0', 10, 'decided_by 0', 10, 10);
INSERT INTO public.payment_request VALUES (11, 11, '1', 11, 11, 'comment 1', 'status 1', 'reason 1', 11, 'decided_by 1', 11, 11);
INSERT INTO public.payment_system VALUES (10, 'lang_label 0', 'USD', '[]', 10, 10, 10);
INSERT INTO public.payment_system VALUES (11, 'lang_label 1', 'EUR', '[]', 11, 11, 11);
INSERT INTO public.pixel VALUES (10, 10, 10, 'name 0', 'code 0', 'code_type 0', false, 10, 10, 10);
INSERT INTO public.pixel VALUES (11, 11, 11, 'name 1', 'code 1', 'code_type 1', true, 11, 11, 11);
INSERT INTO public.preference VALUES ('owner 0', 'timezone 0', '0', false, '[]');
INSERT INTO public.preference VALUES ('owner 1', 'timezone 1', '1', true, '[]');
INSERT INTO public.preset VALUES ('0123456789abcdef01234560', 'name 0', 'kind 0', '[]', 10, 10);
INSERT INTO public.preset VALUES ('0123456789abcdef01234561', 'name 1', 'kind 1', '[]', 11, 11);
INSERT INTO public.product_feed VALUES ('0123456789abcdef01234560', 'name 0', 10, 10, 10, 10, '', '', 24, NULL, NULL, NULL, '', '');
INSERT INTO public.product_feed VALUES ('0123456789abcdef01234561', 'name 1', 11, 11, 11, 11, '', '', 24, NULL, NULL, NULL, '', '');
INSERT INTO public.product_item VALUES ('0123456789abcdef01234560', '0123456789abcdef01234560', 10, 'sku 0', 'brand 0', 'brand_sku 0', 'category 0', 'subcategory 0', 'name 0', 'url 0', 'image_url 0', 'description 0', 'price 0', '0', 'availability 0');
INSERT INTO public.product_item VALUES ('0123456789abcdef01234561', '0123456789abcdef01234561', 11, 'sku 1', 'brand 1', 'brand_sku 1', 'category 1', 'subcategory 1', 'name 1', 'url 1', 'image_url 1', 'description 1', 'price 1', '1', 'availability 1');
INSERT INTO public.promo_code VALUES ('0123456789abcdef01234560', 'code 0', 'folded 0', 'description 0', 10, 10, 10, 10, 10, 10, 10);
INSERT INTO public.promo_code VALUES ('0123456789abcdef01234561', 'code 1', 'folded 1', 'description 1', 11, 11, 11, 11, 11, 11, 11);
INSERT INTO public.rebuild VALUES (10, '0123456789abcdef01234560', 'stage 0', 10, 10);
INSERT INTO public.rebuild VALUES (11, '0123456789abcdef01234561', 'stage 1', 11, 11);
INSERT INTO public.recovery_code VALUES ('digest 0', 'owner 0');
INSERT INTO public.recovery_code VALUES ('digest 1', 'owner 1');
INSERT INTO public.report_mail VALUES ('0123456789abcdef01234560', 'report_id 0', 'owner 0', 'every 0', 10, 10, 10, 10, 10, 'csv');
INSERT INTO public.report_mail VALUES ('0123456789abcdef01234561', 'report_id 1', 'owner 1', 'every 1', 11, 11, 11, 11, 11, 'csv');
INSERT INTO public.rule_change VALUES ('kind 0', '0123456789abcdef01234560', 10);
INSERT INTO public.rule_change VALUES ('kind 1', '0123456789abcdef01234561', 11);
INSERT INTO public.rule_clock VALUES (10, 10);
INSERT INTO public.rule_clock VALUES (11, 11);
INSERT INTO public.saved_report VALUES ('0123456789abcdef01234560', 'owner 0', 'name 0', 'query 0', false, 10, 10);
INSERT INTO public.saved_report VALUES ('0123456789abcdef01234561', 'owner 1', 'name 1', 'query 1', true, 11, 11);
INSERT INTO public.second_factor VALUES ('owner 0', 'sealed 0', 10, 10, 10);
INSERT INTO public.second_factor VALUES ('owner 1', 'sealed 1', 11, 11, 11);
INSERT INTO public.security_log VALUES ('0123456789abcdef01234560', 10, 'event 0', 'outcome 0', 'actor_kind 0', '0123456789abcdef01234560', 'subject 0', 'address 0', 'user_agent 0', 'request_id 0', 'client_request_id 0');
INSERT INTO public.security_log VALUES ('0123456789abcdef01234561', 11, 'event 1', 'outcome 1', 'actor_kind 1', '0123456789abcdef01234561', 'subject 1', 'address 1', 'user_agent 1', 'request_id 1', 'client_request_id 1');
INSERT INTO public.session VALUES ('0123456789abcdef01234560', 'digest 0', 'staff', '0123456789abcdef01234560', 10, 10, 10, 10, 'address 0', 'user_agent 0', false);
INSERT INTO public.session VALUES ('0123456789abcdef01234561', 'digest 1', 'affiliate', '0123456789abcdef01234561', 11, 11, 11, 11, 'address 1', 'user_agent 1', true);
INSERT INTO public.setting VALUES ('name 0', '[]');
INSERT INTO public.setting VALUES ('name 1', '[]');
INSERT INTO public.sign_in_failure VALUES ('name 0', 10, 10);
INSERT INTO public.sign_in_failure VALUES ('name 1', 11, 11);
INSERT INTO public.sign_in_link VALUES ('digest 0', 'owner 0', 'mail_id 0', 10);
INSERT INTO public.sign_in_link VALUES ('digest 1', 'owner 1', 'mail_id 1', 11);
INSERT INTO public.smartlink_category VALUES ('0123456789abcdef01234560', 'name 0', 10, 'description 0', 10, 10);
INSERT INTO public.smartlink_category VALUES ('0123456789abcdef01234561', 'name 1', 11, 'description 1', 11, 11);
INSERT INTO public.source VALUES ('0123456789abcdef01234560', '[]', 10, 10);
INSERT INTO public.source VALUES ('0123456789abcdef01234561', '[]', 11, 11);
INSERT INTO public.staff VALUES ('0123456789abcdef01234560', 'email 0', 'password_hash 0', 'first_name 0', 'last_name 0', 'skype 0', 'work_hours 0', '[]', 10, 10, 10, 'istics_revenue 0', 'tatistics_rows 0', 'active', '', '', '', '', '', '', '{}');
INSERT INTO public.staff VALUES ('0123456789abcdef01234561', 'email 1', 'password_hash 1', 'first_name 1', 'last_name 1', 'skype 1', 'work_hours 1', '[]', 11, 11, 11, 'istics_revenue 1', 'tatistics_rows 1', 'blocked', '', '', '', '', '', '', '{}');
INSERT INTO public.sub_block VALUES ('firing_id 0', 10, 10, 10, 'value 0');
INSERT INTO public.sub_block VALUES ('firing_id 1', 11, 11, 11, 'value 1');
INSERT INTO public.terms_acceptance VALUES (10, 'version 0', 10);
INSERT INTO public.terms_acceptance VALUES (11, 'version 1', 11);
INSERT INTO public.ticket VALUES (10, 'status 0', 'cision 0', '0123456789abcdef01234560', 10, 10, 'title 0', 'description 0', 10, 10, '', NULL, '[]', 'offer');
INSERT INTO public.ticket VALUES (11, 'status 1', 'cision 1', '0123456789abcdef01234561', 11, 11, 'title 1', 'description 1', 11, 11, '', NULL, '[]', 'offer');
INSERT INTO public.url_check VALUES (10, 10, '[]');
INSERT INTO public.url_check VALUES (11, 11, '[]');
INSERT INTO public.url_host VALUES ('host 0', 10);
INSERT INTO public.url_host VALUES ('host 1', 11);
INSERT INTO public.usual_time VALUES (10, 'goal 0', 10, 10, 10);
INSERT INTO public.usual_time VALUES (11, 'goal 1', 11, 11, 11);
SELECT pg_catalog.setval('public.affiliate_id_seq', 1, false);
SELECT pg_catalog.setval('public.affiliate_postback_id_seq', 1, false);
SELECT pg_catalog.setval('public.conversion_task_id_seq', 1, false);
SELECT pg_catalog.setval('public.correction_id_seq', 1, false);
SELECT pg_catalog.setval('public.custom_field_id_seq', 1, false);
SELECT pg_catalog.setval('public.domain_id_seq', 1, false);
SELECT pg_catalog.setval('public.erasure_number_seq', 1, false);
SELECT pg_catalog.setval('public.fetch_id_seq', 1, false);
SELECT pg_catalog.setval('public.inbox_id_seq', 1, false);
SELECT pg_catalog.setval('public.invoice_number_seq', 1, false);
SELECT pg_catalog.setval('public.offer_id_seq', 1, false);
SELECT pg_catalog.setval('public.outbox_id_seq', 1, false);
SELECT pg_catalog.setval('public.parallel_call_id_seq', 1, false);
SELECT pg_catalog.setval('public.payment_id_seq', 1, false);
SELECT pg_catalog.setval('public.payment_request_id_seq', 1, false);
SELECT pg_catalog.setval('public.payment_system_id_seq', 1, false);
SELECT pg_catalog.setval('public.pixel_id_seq', 1, false);
SELECT pg_catalog.setval('public.rebuild_number_seq', 1, false);
SELECT pg_catalog.setval('public.ticket_id_seq', 1, false);
ALTER TABLE ONLY public.alembic_version
    ADD CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num);
ALTER TABLE ONLY public.ad_cost
    ADD CONSTRAINT pk_ad_cost PRIMARY KEY (offer_id, affiliate_id, day, sub8);
ALTER TABLE ONLY public.advertiser
    ADD CONSTRAINT pk_advertiser PRIMARY KEY (id);
ALTER TABLE ONLY public.advertiser_blacklist
    ADD CONSTRAINT pk_advertiser_blacklist PRIMARY KEY (advertiser_id, affiliate_id);
ALTER TABLE ONLY public.affiliate
    ADD CONSTRAINT pk_affiliate PRIMARY KEY (id);
ALTER TABLE ONLY public.affiliate_login
    ADD CONSTRAINT pk_affiliate_login PRIMARY KEY (name);
ALTER TABLE ONLY public.affiliate_postback
    ADD CONSTRAINT pk_affiliate_postback PRIMARY KEY (id);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT pk_alert PRIMARY KEY (id);
ALTER TABLE ONLY public.alert_choice
    ADD CONSTRAINT pk_alert_choice PRIMARY KEY (owner);
ALTER TABLE ONLY public.alert_notice
    ADD CONSTRAINT pk_alert_notice PRIMARY KEY (owner, alert_id);
ALTER TABLE ONLY public.api_key
    ADD CONSTRAINT pk_api_key PRIMARY KEY (digest);
ALTER TABLE ONLY public.audit
    ADD CONSTRAINT pk_audit PRIMARY KEY (id);
ALTER TABLE ONLY public.automation_change
    ADD CONSTRAINT pk_automation_change PRIMARY KEY (id);
ALTER TABLE ONLY public.automation_firing
    ADD CONSTRAINT pk_automation_firing PRIMARY KEY (id);
ALTER TABLE ONLY public.automation_rule
    ADD CONSTRAINT pk_automation_rule PRIMARY KEY (id);
ALTER TABLE ONLY public.category
    ADD CONSTRAINT pk_category PRIMARY KEY (id);
ALTER TABLE ONLY public.comparison
    ADD CONSTRAINT pk_comparison PRIMARY KEY (id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT pk_connection PRIMARY KEY (offer_id, affiliate_id);
ALTER TABLE ONLY public.conversion
    ADD CONSTRAINT pk_conversion PRIMARY KEY (id);
ALTER TABLE ONLY public.conversion_event
    ADD CONSTRAINT pk_conversion_event PRIMARY KEY (conversion_id, version);
ALTER TABLE ONLY public.conversion_task
    ADD CONSTRAINT pk_conversion_task PRIMARY KEY (id);
ALTER TABLE ONLY public.correction
    ADD CONSTRAINT pk_correction PRIMARY KEY (id);
ALTER TABLE ONLY public.counter
    ADD CONSTRAINT pk_counter PRIMARY KEY (name);
ALTER TABLE ONLY public.currency
    ADD CONSTRAINT pk_currency PRIMARY KEY (code);
ALTER TABLE ONLY public.currency_rate
    ADD CONSTRAINT pk_currency_rate PRIMARY KEY (currency, from_at);
ALTER TABLE ONLY public.custom_field
    ADD CONSTRAINT pk_custom_field PRIMARY KEY (id);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT pk_delivery PRIMARY KEY (id);
ALTER TABLE ONLY public.domain
    ADD CONSTRAINT pk_domain PRIMARY KEY (id);
ALTER TABLE ONLY public.edge
    ADD CONSTRAINT pk_edge PRIMARY KEY (number);
ALTER TABLE ONLY public.edge_progress
    ADD CONSTRAINT pk_edge_progress PRIMARY KEY (edge);
ALTER TABLE ONLY public.email_confirmation
    ADD CONSTRAINT pk_email_confirmation PRIMARY KEY (digest);
ALTER TABLE ONLY public.erasure
    ADD CONSTRAINT pk_erasure PRIMARY KEY (number);
ALTER TABLE ONLY public."fetch"
    ADD CONSTRAINT pk_fetch PRIMARY KEY (id);
ALTER TABLE ONLY public.file
    ADD CONSTRAINT pk_file PRIMARY KEY (id);
ALTER TABLE ONLY public.first_answer
    ADD CONSTRAINT pk_first_answer PRIMARY KEY (name);
ALTER TABLE ONLY public.held_change
    ADD CONSTRAINT pk_held_change PRIMARY KEY (id);
ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT pk_inbox PRIMARY KEY (id);
ALTER TABLE ONLY public.invoice
    ADD CONSTRAINT pk_invoice PRIMARY KEY (number);
ALTER TABLE ONLY public.job_turn
    ADD CONSTRAINT pk_job_turn PRIMARY KEY (job);
ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT pk_ledger PRIMARY KEY (kind, source_id, version);
ALTER TABLE ONLY public.machine
    ADD CONSTRAINT pk_machine PRIMARY KEY (directory_id);
ALTER TABLE ONLY public.mail
    ADD CONSTRAINT pk_mail PRIMARY KEY (id);
ALTER TABLE ONLY public.mail_attachment
    ADD CONSTRAINT pk_mail_attachment PRIMARY KEY (mail_id, place);
ALTER TABLE ONLY public.news
    ADD CONSTRAINT pk_news PRIMARY KEY (id);
ALTER TABLE ONLY public.offer
    ADD CONSTRAINT pk_offer PRIMARY KEY (id);
ALTER TABLE ONLY public.offer_label
    ADD CONSTRAINT pk_offer_label PRIMARY KEY (kind, value, offer_id);
ALTER TABLE ONLY public.outbox
    ADD CONSTRAINT pk_outbox PRIMARY KEY (id);
ALTER TABLE ONLY public.parallel_call
    ADD CONSTRAINT pk_parallel_call PRIMARY KEY (id);
ALTER TABLE ONLY public.past_edge
    ADD CONSTRAINT pk_past_edge PRIMARY KEY (number, claimed_at);
ALTER TABLE ONLY public.payment
    ADD CONSTRAINT pk_payment PRIMARY KEY (id);
ALTER TABLE ONLY public.payment_entry
    ADD CONSTRAINT pk_payment_entry PRIMARY KEY (kind, source_id, version);
ALTER TABLE ONLY public.payment_request
    ADD CONSTRAINT pk_payment_request PRIMARY KEY (id);
ALTER TABLE ONLY public.payment_system
    ADD CONSTRAINT pk_payment_system PRIMARY KEY (id);
ALTER TABLE ONLY public.pixel
    ADD CONSTRAINT pk_pixel PRIMARY KEY (id);
ALTER TABLE ONLY public.preference
    ADD CONSTRAINT pk_preference PRIMARY KEY (owner);
ALTER TABLE ONLY public.preset
    ADD CONSTRAINT pk_preset PRIMARY KEY (id);
ALTER TABLE ONLY public.product_feed
    ADD CONSTRAINT pk_product_feed PRIMARY KEY (id);
ALTER TABLE ONLY public.product_item
    ADD CONSTRAINT pk_product_item PRIMARY KEY (id);
ALTER TABLE ONLY public.promo_code
    ADD CONSTRAINT pk_promo_code PRIMARY KEY (id);
ALTER TABLE ONLY public.rebuild
    ADD CONSTRAINT pk_rebuild PRIMARY KEY (number);
ALTER TABLE ONLY public.recovery_code
    ADD CONSTRAINT pk_recovery_code PRIMARY KEY (digest);
ALTER TABLE ONLY public.report_mail
    ADD CONSTRAINT pk_report_mail PRIMARY KEY (id);
ALTER TABLE ONLY public.rule_change
    ADD CONSTRAINT pk_rule_change PRIMARY KEY (kind, key);
ALTER TABLE ONLY public.rule_clock
    ADD CONSTRAINT pk_rule_clock PRIMARY KEY (id);
ALTER TABLE ONLY public.saved_report
    ADD CONSTRAINT pk_saved_report PRIMARY KEY (id);
ALTER TABLE ONLY public.second_factor
    ADD CONSTRAINT pk_second_factor PRIMARY KEY (owner);
ALTER TABLE ONLY public.security_log
    ADD CONSTRAINT pk_security_log PRIMARY KEY (id);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT pk_session PRIMARY KEY (id);
ALTER TABLE ONLY public.setting
    ADD CONSTRAINT pk_setting PRIMARY KEY (name);
ALTER TABLE ONLY public.sign_in_failure
    ADD CONSTRAINT pk_sign_in_failure PRIMARY KEY (name);
ALTER TABLE ONLY public.sign_in_link
    ADD CONSTRAINT pk_sign_in_link PRIMARY KEY (digest);
ALTER TABLE ONLY public.smartlink_category
    ADD CONSTRAINT pk_smartlink_category PRIMARY KEY (id);
ALTER TABLE ONLY public.source
    ADD CONSTRAINT pk_source PRIMARY KEY (id);
ALTER TABLE ONLY public.staff
    ADD CONSTRAINT pk_staff PRIMARY KEY (id);
ALTER TABLE ONLY public.sub_block
    ADD CONSTRAINT pk_sub_block PRIMARY KEY (firing_id);
ALTER TABLE ONLY public.terms_acceptance
    ADD CONSTRAINT pk_terms_acceptance PRIMARY KEY (affiliate_id, version);
ALTER TABLE ONLY public.ticket
    ADD CONSTRAINT pk_ticket PRIMARY KEY (id);
ALTER TABLE ONLY public.url_check
    ADD CONSTRAINT pk_url_check PRIMARY KEY (offer_id);
ALTER TABLE ONLY public.url_host
    ADD CONSTRAINT pk_url_host PRIMARY KEY (host);
ALTER TABLE ONLY public.usual_time
    ADD CONSTRAINT pk_usual_time PRIMARY KEY (offer_id, goal);
ALTER TABLE ONLY public.affiliate
    ADD CONSTRAINT uq_affiliate_email UNIQUE (email);
ALTER TABLE ONLY public.alert
    ADD CONSTRAINT uq_alert_open_key UNIQUE (open_key);
ALTER TABLE ONLY public.conversion
    ADD CONSTRAINT uq_conversion_identity UNIQUE (offer_id, goal, identity);
ALTER TABLE ONLY public.custom_field
    ADD CONSTRAINT uq_custom_field_name UNIQUE (name);
ALTER TABLE ONLY public.delivery
    ADD CONSTRAINT uq_delivery_subject_id_postback_id_sequence_forced_kind UNIQUE (subject_id, postback_id, sequence, forced, kind);
ALTER TABLE ONLY public.domain
    ADD CONSTRAINT uq_domain_url UNIQUE (url);
ALTER TABLE ONLY public.edge
    ADD CONSTRAINT uq_edge_directory_id_slot UNIQUE (directory_id, slot);
ALTER TABLE ONLY public.inbox
    ADD CONSTRAINT uq_inbox_journal_position UNIQUE (journal, "position");
ALTER TABLE ONLY public.offer
    ADD CONSTRAINT uq_offer_hash UNIQUE (hash);
ALTER TABLE ONLY public.promo_code
    ADD CONSTRAINT uq_promo_code_folded UNIQUE (folded);
ALTER TABLE ONLY public.session
    ADD CONSTRAINT uq_session_digest UNIQUE (digest);
ALTER TABLE ONLY public.staff
    ADD CONSTRAINT uq_staff_email UNIQUE (email);
CREATE INDEX ix_ad_cost_affiliate_id ON public.ad_cost USING btree (affiliate_id);
CREATE INDEX ix_ad_cost_day ON public.ad_cost USING btree (day);
CREATE INDEX ix_advertiser_blacklist_affiliate_id ON public.advertiser_blacklist USING btree (affiliate_id);
CREATE INDEX ix_advertiser_manager_id ON public.advertiser USING btree (manager_id);
CREATE INDEX ix_affiliate_login_affiliate_id ON public.affiliate_login USING btree (affiliate_id);
CREATE INDEX ix_affiliate_manager_id ON public.affiliate USING btree (manager_id);
CREATE INDEX ix_affiliate_postback_affiliate_id ON public.affiliate_postback USING btree (affiliate_id);
CREATE INDEX ix_affiliate_ref ON public.affiliate USING btree (ref);
CREATE INDEX ix_alert_choice_digest_at ON public.alert_choice USING btree (digest_at);
CREATE INDEX ix_alert_closed_at ON public.alert USING btree (closed_at);
CREATE INDEX ix_alert_notice_due_at ON public.alert_notice USING btree (due_at);
CREATE INDEX ix_alert_opened_at ON public.alert USING btree (opened_at, id);
CREATE UNIQUE INDEX ix_api_key_id ON public.api_key USING btree (id);
CREATE INDEX ix_api_key_owner ON public.api_key USING btree (owner_kind, owner_id);
CREATE INDEX ix_audit_affiliate_id_at ON public.audit USING btree (affiliate_id, at);
CREATE INDEX ix_audit_at ON public.audit USING btree (at);
CREATE INDEX ix_audit_client_request_id ON public.audit USING btree (client_request_id);
CREATE INDEX ix_audit_request_id ON public.audit USING btree (request_id);
CREATE INDEX ix_audit_staff_id_at ON public.audit USING btree (staff_id, at);
CREATE INDEX ix_audit_what_key_at ON public.audit USING btree (what, key, at);
CREATE INDEX ix_automation_change_kind_at ON public.automation_change USING btree (kind, at);
CREATE INDEX ix_automation_change_rule_id ON public.automation_change USING btree (rule_id);
CREATE INDEX ix_automation_firing_fired_at ON public.automation_firing USING btree (fired_at);
CREATE INDEX ix_automation_firing_rule_id_element_key ON public.automation_firing USING btree (rule_id, element_key, met_until);
CREATE INDEX ix_automation_firing_webhook_due ON public.automation_firing USING btree (webhook_due);
CREATE INDEX ix_comparison_side ON public.comparison USING btree (side, subject_id, created_at);
CREATE INDEX ix_connection_affiliate_id ON public.connection USING btree (affiliate_id);
CREATE INDEX ix_conversion_action_id ON public.conversion USING btree (action_id);
CREATE INDEX ix_conversion_advertiser_id_created_at ON public.conversion USING btree (advertiser_id, created_at);
CREATE INDEX ix_conversion_affiliate_id_created_at ON public.conversion USING btree (affiliate_id, created_at);
CREATE INDEX ix_conversion_click_id ON public.conversion USING btree (click_id);
CREATE INDEX ix_conversion_click_ip ON public.conversion USING btree (offer_id, click_ip, goal, status);
CREATE INDEX ix_conversion_counted ON public.conversion USING btree (offer_id, created_at, status, goal, affiliate_id, country, payout_base);
CREATE INDEX ix_conversion_hold_until ON public.conversion USING btree (hold_until);
CREATE INDEX ix_conversion_listed ON public.conversion USING btree (created_at, id, status, offer_id, affiliate_id, advertiser_id, goal, country, os, device, browser);
CREATE INDEX ix_conversion_promo_code ON public.conversion USING btree (promo_code) WHERE (promo_code IS NOT NULL);
CREATE INDEX ix_conversion_quality_held ON public.conversion USING btree (offer_id) WHERE quality_held;
CREATE INDEX ix_conversion_referrer_id_created_at ON public.conversion USING btree (referrer_id, created_at) WHERE (referrer_id IS NOT NULL);
CREATE INDEX ix_conversion_task_state_id ON public.conversion_task USING btree (state, id);
CREATE INDEX ix_conversion_updated_at ON public.conversion USING btree (updated_at);
CREATE INDEX ix_correction_affiliate_id ON public.correction USING btree (affiliate_id, id);
CREATE INDEX ix_correction_created_at ON public.correction USING btree (created_at);
CREATE INDEX ix_correction_payment_id ON public.correction USING btree (payment_id);
CREATE INDEX ix_counter_offer_id_limit_id_start ON public.counter USING btree (offer_id, limit_id, start);
CREATE INDEX ix_counter_until ON public.counter USING btree (until);
CREATE INDEX ix_delivery_destination ON public.delivery USING btree (affiliate_id, host, next_at);
CREATE INDEX ix_delivery_next_at ON public.delivery USING btree (next_at, lease_until);
CREATE INDEX ix_delivery_owner ON public.delivery USING btree (owner);
CREATE INDEX ix_email_confirmation_affiliate_id ON public.email_confirmation USING btree (affiliate_id);
CREATE INDEX ix_email_confirmation_expires_at ON public.email_confirmation USING btree (expires_at);
CREATE INDEX ix_email_confirmation_mail_id ON public.email_confirmation USING btree (mail_id);
CREATE INDEX ix_fetch_next_at ON public."fetch" USING btree (next_at);
CREATE INDEX ix_first_answer_created_at ON public.first_answer USING btree (created_at);
CREATE INDEX ix_held_change_affiliate_id ON public.held_change USING btree (affiliate_id);
CREATE INDEX ix_held_change_created_at ON public.held_change USING btree (created_at);
CREATE INDEX ix_held_change_subject ON public.held_change USING btree (kind, subject_id, state);
CREATE INDEX ix_inbox_state_id ON public.inbox USING btree (state, id);
CREATE INDEX ix_inbox_state_offer_hash ON public.inbox USING btree (state, offer_hash, id);
CREATE INDEX ix_invoice_advertiser_id ON public.invoice USING btree (advertiser_id);
CREATE INDEX ix_ledger_affiliate_id_currency ON public.ledger USING btree (affiliate_id, currency, at, kind, hold, available);
CREATE INDEX ix_mail_next_at ON public.mail USING btree (next_at);
CREATE INDEX ix_news_listed ON public.news USING btree (published, pinned, created_at, id);
CREATE INDEX ix_offer_advertiser_id ON public.offer USING btree (advertiser_id);
CREATE INDEX ix_offer_bundle_id ON public.offer USING btree (bundle_id);
CREATE INDEX ix_offer_click_session ON public.offer USING btree (click_session);
CREATE INDEX ix_offer_label_offer_id ON public.offer_label USING btree (offer_id);
CREATE INDEX ix_offer_listed ON public.offer USING btree (removed_at, status, id, privacy, advertiser_id, is_top, created_at, updated_at, start_at, stop_at, cr, epc, top_payout, day_cap, total_cap, hide_caps, title, hide_payments);
CREATE INDEX ix_offer_parallel ON public.offer USING btree (id) WHERE (parallel_tracking_url IS NOT NULL);
CREATE INDEX ix_offer_schedule ON public.offer USING btree (id) WHERE (schedule IS NOT NULL);
CREATE INDEX ix_offer_title ON public.offer USING btree (removed_at, status, title, id, privacy);
CREATE INDEX ix_outbox_batch_target_id ON public.outbox USING btree (batch, target, id);
CREATE INDEX ix_parallel_call_host_id ON public.parallel_call USING btree (host, id);
CREATE INDEX ix_payment_affiliate_id ON public.payment USING btree (affiliate_id);
CREATE INDEX ix_payment_created_at ON public.payment USING btree (created_at);
CREATE INDEX ix_payment_entry_payment_id ON public.payment_entry USING btree (payment_id);
CREATE INDEX ix_payment_entry_source_id ON public.payment_entry USING btree (source_id, payment_id);
CREATE INDEX ix_payment_request_affiliate_id ON public.payment_request USING btree (affiliate_id, status);
CREATE INDEX ix_payment_request_status ON public.payment_request USING btree (status, id);
CREATE INDEX ix_pixel_affiliate_id_offer_id ON public.pixel USING btree (affiliate_id, offer_id);
CREATE UNIQUE INDEX ix_product_item_feed_id_place ON public.product_item USING btree (feed_id, place);
CREATE INDEX ix_promo_code_affiliate_id ON public.promo_code USING btree (affiliate_id);
CREATE INDEX ix_promo_code_offer_id ON public.promo_code USING btree (offer_id);
CREATE INDEX ix_recovery_code_owner ON public.recovery_code USING btree (owner);
CREATE INDEX ix_report_mail_next_at ON public.report_mail USING btree (next_at);
CREATE UNIQUE INDEX ix_report_mail_owner ON public.report_mail USING btree (owner, report_id);
CREATE INDEX ix_report_mail_report_id ON public.report_mail USING btree (report_id);
CREATE INDEX ix_rule_change_version ON public.rule_change USING btree (version);
CREATE INDEX ix_saved_report_owner ON public.saved_report USING btree (owner);
CREATE INDEX ix_saved_report_shared ON public.saved_report USING btree (name) WHERE shared;
CREATE INDEX ix_security_log_actor_id_at ON public.security_log USING btree (actor_id, at);
CREATE INDEX ix_security_log_address_at ON public.security_log USING btree (address, at);
CREATE INDEX ix_security_log_at ON public.security_log USING btree (at);
CREATE INDEX ix_session_expires_at ON public.session USING btree (expires_at);
CREATE INDEX ix_session_idle_until ON public.session USING btree (idle_until);
CREATE INDEX ix_session_owner ON public.session USING btree (owner_kind, owner_id);
CREATE INDEX ix_sign_in_failure_since ON public.sign_in_failure USING btree (since);
CREATE INDEX ix_sign_in_link_expires_at ON public.sign_in_link USING btree (expires_at);
CREATE INDEX ix_sign_in_link_mail_id ON public.sign_in_link USING btree (mail_id);
CREATE INDEX ix_sign_in_link_owner ON public.sign_in_link USING btree (owner);
CREATE INDEX ix_sub_block_offer_id ON public.sub_block USING btree (offer_id);
CREATE INDEX ix_ticket_affiliate_id ON public.ticket USING btree (affiliate_id);
CREATE INDEX ix_ticket_offer_id ON public.ticket USING btree (offer_id);
CREATE INDEX ix_url_check_due_at ON public.url_check USING btree (due_at);
CREATE INDEX ix_url_host_visited_at ON public.url_host USING btree (visited_at);
CREATE UNIQUE INDEX uq_payment_request_open ON public.payment_request USING btree (affiliate_id, currency) WHERE ((status)::text = 'open'::text);
ALTER TABLE ONLY public.ad_cost
    ADD CONSTRAINT fk_ad_cost_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.ad_cost
    ADD CONSTRAINT fk_ad_cost_offer_id FOREIGN KEY (offer_id) REFERENCES public.offer(id);
ALTER TABLE ONLY public.affiliate_postback
    ADD CONSTRAINT fk_affiliate_postback_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.affiliate_postback
    ADD CONSTRAINT fk_affiliate_postback_offer_id FOREIGN KEY (offer_id) REFERENCES public.offer(id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT fk_connection_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.connection
    ADD CONSTRAINT fk_connection_offer_id FOREIGN KEY (offer_id) REFERENCES public.offer(id);
ALTER TABLE ONLY public.conversion_event
    ADD CONSTRAINT fk_conversion_event_conversion_id FOREIGN KEY (conversion_id) REFERENCES public.conversion(id);
ALTER TABLE ONLY public.correction
    ADD CONSTRAINT fk_correction_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.ledger
    ADD CONSTRAINT fk_ledger_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.offer
    ADD CONSTRAINT fk_offer_advertiser_id FOREIGN KEY (advertiser_id) REFERENCES public.advertiser(id);
ALTER TABLE ONLY public.offer
    ADD CONSTRAINT fk_offer_domain_id FOREIGN KEY (domain_id) REFERENCES public.domain(id);
ALTER TABLE ONLY public.offer_label
    ADD CONSTRAINT fk_offer_label_offer_id FOREIGN KEY (offer_id) REFERENCES public.offer(id);
ALTER TABLE ONLY public.payment
    ADD CONSTRAINT fk_payment_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.payment_entry
    ADD CONSTRAINT fk_payment_entry_payment_id FOREIGN KEY (payment_id) REFERENCES public.payment(id);
ALTER TABLE ONLY public.payment_request
    ADD CONSTRAINT fk_payment_request_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.payment_request
    ADD CONSTRAINT fk_payment_request_payment_id FOREIGN KEY (payment_id) REFERENCES public.payment(id);
ALTER TABLE ONLY public.pixel
    ADD CONSTRAINT fk_pixel_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.pixel
    ADD CONSTRAINT fk_pixel_offer_id FOREIGN KEY (offer_id) REFERENCES public.offer(id);
ALTER TABLE ONLY public.product_item
    ADD CONSTRAINT fk_product_item_feed_id FOREIGN KEY (feed_id) REFERENCES public.product_feed(id);
ALTER TABLE ONLY public.promo_code
    ADD CONSTRAINT fk_promo_code_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.promo_code
    ADD CONSTRAINT fk_promo_code_offer_id FOREIGN KEY (offer_id) REFERENCES public.offer(id);
ALTER TABLE ONLY public.smartlink_category
    ADD CONSTRAINT fk_smartlink_category_domain_id FOREIGN KEY (domain_id) REFERENCES public.domain(id);
ALTER TABLE ONLY public.ticket
    ADD CONSTRAINT fk_ticket_affiliate_id FOREIGN KEY (affiliate_id) REFERENCES public.affiliate(id);
ALTER TABLE ONLY public.ticket
    ADD CONSTRAINT fk_ticket_offer_id FOREIGN KEY (offer_id) REFERENCES public.offer(id);
ALTER TABLE ONLY public.url_check
    ADD CONSTRAINT fk_url_check_offer_id FOREIGN KEY (offer_id) REFERENCES public.offer(id);
