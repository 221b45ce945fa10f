PRAGMA defer_foreign_keys=ON;
CREATE TABLE ad_cost (
	offer_id INTEGER NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	day VARCHAR(10) NOT NULL, 
	sub8 VARCHAR(500) NOT NULL, 
	cost BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_ad_cost PRIMARY KEY (offer_id, affiliate_id, day, sub8), 
	CONSTRAINT fk_ad_cost_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id), 
	CONSTRAINT fk_ad_cost_offer_id FOREIGN KEY(offer_id) REFERENCES offer (id)
);
CREATE TABLE advertiser (
	id VARCHAR(24) NOT NULL, 
	title VARCHAR(200) NOT NULL, 
	contact VARCHAR(200), 
	email VARCHAR(254), 
	url TEXT, 
	skype VARCHAR(200), 
	note TEXT, 
	manager_id VARCHAR(24), 
	allowed_ip JSON NOT NULL, 
	disallowed_ip JSON NOT NULL, 
	hash_password VARCHAR(200), 
	address_1 TEXT, 
	address_2 TEXT, 
	city VARCHAR(200), 
	country VARCHAR(2), 
	zip_code VARCHAR(32), 
	vat_code VARCHAR(64), 
	sub_accounts JSON NOT NULL, 
	consider_personal_targeting_only BOOLEAN NOT NULL, 
	tags JSON NOT NULL, 
	password_hash VARCHAR(200), 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, signing_secret TEXT, status VARCHAR(16) DEFAULT 'active' NOT NULL, sees_affiliates BOOLEAN DEFAULT 0 NOT NULL, last_login_at BIGINT, hide_conversion_status BOOLEAN DEFAULT 0 NOT NULL, custom_fields JSON DEFAULT '{}' NOT NULL, host_uniqueness_number_unique_clicks INTEGER, host_uniqueness_time_frame INTEGER, subaccounts_encryption BOOLEAN DEFAULT 0 NOT NULL, subs_key VARCHAR(32), 
	CONSTRAINT pk_advertiser PRIMARY KEY (id)
);
CREATE TABLE advertiser_blacklist (
	advertiser_id VARCHAR(24) NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, enabled BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_advertiser_blacklist PRIMARY KEY (advertiser_id, affiliate_id)
);
CREATE TABLE affiliate (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	email VARCHAR(254) NOT NULL, 
	login VARCHAR(200) NOT NULL, 
	password_hash VARCHAR(200) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	name VARCHAR(200), 
	contact_person VARCHAR(200), 
	notes TEXT NOT NULL, 
	level INTEGER NOT NULL, 
	ref_percent BIGINT, 
	ref INTEGER, 
	manager_id VARCHAR(24), 
	payment_systems JSON NOT NULL, 
	custom_fields JSON NOT NULL, 
	tags JSON NOT NULL, 
	sub_accounts JSON NOT NULL, 
	postback_secret VARCHAR(40) NOT NULL, 
	address_1 TEXT, 
	address_2 TEXT, 
	city VARCHAR(200), 
	country VARCHAR(2), 
	zip_code VARCHAR(32), 
	phone VARCHAR(64), 
	company VARCHAR(200), 
	permissions JSON NOT NULL, 
	server_clicks BOOLEAN NOT NULL, 
	server_ip JSON NOT NULL, 
	last_login_at BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, statistics_revenue VARCHAR(16), statistics_rows VARCHAR(16), email_state VARCHAR(16) DEFAULT 'not asked' NOT NULL, status_reason TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT uq_affiliate_email UNIQUE (email)
);
CREATE TABLE affiliate_login (
	name TEXT NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	CONSTRAINT pk_affiliate_login PRIMARY KEY (name)
);
CREATE TABLE affiliate_postback (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	affiliate_id INTEGER NOT NULL, 
	offer_id INTEGER, 
	url TEXT NOT NULL, 
	status VARCHAR(16), 
	goal VARCHAR(255), 
	forced BOOLEAN NOT NULL, 
	dead_in_row INTEGER NOT NULL, 
	paused_at BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT fk_affiliate_postback_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id), 
	CONSTRAINT fk_affiliate_postback_offer_id FOREIGN KEY(offer_id) REFERENCES offer (id)
);
CREATE TABLE alembic_version (
	version_num VARCHAR(32) NOT NULL, 
	CONSTRAINT alembic_version_pkc PRIMARY KEY (version_num)
);
CREATE TABLE alert (
	id VARCHAR(24) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	finding VARCHAR(40) NOT NULL, 
	subject VARCHAR(400) NOT NULL, 
	open_key VARCHAR(450), 
	source VARCHAR(300) NOT NULL, 
	evidence JSON NOT NULL, 
	offer_id INTEGER, 
	affiliate_id INTEGER, 
	advertiser_id VARCHAR(24), 
	opened_at BIGINT NOT NULL, 
	seen_at BIGINT NOT NULL, 
	closed_at BIGINT, 
	CONSTRAINT pk_alert PRIMARY KEY (id), 
	CONSTRAINT uq_alert_open_key UNIQUE (open_key)
);
CREATE TABLE alert_choice (
	owner VARCHAR(40) NOT NULL, 
	ways JSON NOT NULL, 
	quiet_from VARCHAR(5) NOT NULL, 
	quiet_until VARCHAR(5) NOT NULL, 
	errors_pass BOOLEAN NOT NULL, 
	digest VARCHAR(8) NOT NULL, 
	digest_hour INTEGER NOT NULL, 
	digest_at BIGINT, mail_ends BOOLEAN DEFAULT 0 NOT NULL, 
	CONSTRAINT pk_alert_choice PRIMARY KEY (owner)
);
CREATE TABLE alert_notice (
	owner VARCHAR(40) NOT NULL, 
	alert_id VARCHAR(24) NOT NULL, 
	due_at BIGINT NOT NULL, 
	CONSTRAINT pk_alert_notice PRIMARY KEY (owner, alert_id)
);
CREATE TABLE api_key (
	digest VARCHAR(64) NOT NULL, 
	sealed TEXT NOT NULL, 
	owner_kind VARCHAR(16) NOT NULL, 
	owner_id VARCHAR(24) NOT NULL, 
	created_at BIGINT NOT NULL, 
	expires_at BIGINT, id VARCHAR(24) DEFAULT '' NOT NULL, is_first BOOLEAN DEFAULT 1 NOT NULL, name VARCHAR(100) DEFAULT '' NOT NULL, scopes JSON DEFAULT '[]' NOT NULL, networks JSON DEFAULT '[]' NOT NULL, last_used_at BIGINT, successor_id VARCHAR(24) DEFAULT '' NOT NULL, statistics_revenue VARCHAR(16), statistics_rows VARCHAR(16), 
	CONSTRAINT pk_api_key PRIMARY KEY (digest)
);
CREATE TABLE audit (
	id VARCHAR(24) NOT NULL, 
	at BIGINT NOT NULL, 
	staff_id VARCHAR(24) NOT NULL, 
	request_id VARCHAR(64) NOT NULL, 
	method VARCHAR(64) NOT NULL, 
	what VARCHAR(32) NOT NULL, 
	"key" VARCHAR(200) NOT NULL, 
	changes JSON NOT NULL, affiliate_id INTEGER, client_request_id VARCHAR(64) DEFAULT '' NOT NULL, address VARCHAR(45) DEFAULT '' NOT NULL, advertiser_id VARCHAR(24) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_audit PRIMARY KEY (id)
);
CREATE TABLE automation_change (
	id VARCHAR(24) NOT NULL, 
	rule_id VARCHAR(24) NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	type VARCHAR(8) NOT NULL, 
	"by" VARCHAR(40) NOT NULL, 
	at BIGINT NOT NULL, 
	offers TEXT NOT NULL, 
	affiliates TEXT NOT NULL, 
	rule JSON NOT NULL, 
	CONSTRAINT pk_automation_change PRIMARY KEY (id)
);
CREATE TABLE automation_firing (
	id VARCHAR(24) NOT NULL, 
	rule_id VARCHAR(24) NOT NULL, 
	fired_at BIGINT NOT NULL, 
	element JSON NOT NULL, 
	element_key TEXT NOT NULL, 
	offer_id INTEGER, 
	affiliate_id INTEGER, 
	advertiser_id VARCHAR(24), 
	sub_index VARCHAR(4) NOT NULL, 
	sub_value TEXT NOT NULL, 
	since BIGINT NOT NULL, 
	until BIGINT NOT NULL, 
	met_until BIGINT NOT NULL, 
	readings JSON NOT NULL, 
	action VARCHAR(24) NOT NULL, 
	changed JSON NOT NULL, 
	undone_at BIGINT, 
	undone_by VARCHAR(40) NOT NULL, 
	webhook_due BIGINT, 
	webhook_attempts INTEGER NOT NULL, 
	CONSTRAINT pk_automation_firing PRIMARY KEY (id)
);
CREATE TABLE automation_rule (
	id VARCHAR(24) NOT NULL, 
	kind VARCHAR(8) NOT NULL, 
	title VARCHAR(200) NOT NULL, 
	is_on BOOLEAN NOT NULL, 
	"each" JSON NOT NULL, 
	offers JSON NOT NULL, 
	affiliates JSON NOT NULL, 
	advertisers JSON NOT NULL, 
	countries JSON NOT NULL, 
	conditions JSON NOT NULL, 
	hours INTEGER NOT NULL, 
	minimum INTEGER NOT NULL, 
	action VARCHAR(24) NOT NULL, 
	new_status VARCHAR(16) NOT NULL, 
	first_goal VARCHAR(255) NOT NULL, 
	second_goal VARCHAR(255) NOT NULL, 
	notify_author BOOLEAN NOT NULL, 
	notify_manager BOOLEAN NOT NULL, 
	webhook TEXT NOT NULL, 
	created_by VARCHAR(24) NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	removed_at BIGINT, 
	judged_until BIGINT NOT NULL, 
	failure TEXT NOT NULL, subs JSON DEFAULT '[]' NOT NULL, 
	CONSTRAINT pk_automation_rule PRIMARY KEY (id)
);
CREATE TABLE category (
	id VARCHAR(24) NOT NULL, 
	title VARCHAR(200) NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_category PRIMARY KEY (id)
);
CREATE TABLE comparison (
	id VARCHAR(24) NOT NULL, 
	side VARCHAR(16) NOT NULL, 
	subject_id VARCHAR(24) NOT NULL, 
	file_name VARCHAR(200) NOT NULL, 
	created_by VARCHAR(40) NOT NULL, 
	created_at BIGINT NOT NULL, 
	day_from VARCHAR(10) NOT NULL, 
	day_to VARCHAR(10) NOT NULL, 
	zone VARCHAR(64) NOT NULL, 
	columns JSON NOT NULL, 
	words JSON NOT NULL, 
	sums JSON NOT NULL, 
	rows INTEGER NOT NULL, 
	differences JSON NOT NULL, 
	accepted JSON NOT NULL, 
	CONSTRAINT pk_comparison PRIMARY KEY (id)
);
CREATE TABLE connection (
	offer_id INTEGER NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	enabled BOOLEAN NOT NULL, 
	changed_at BIGINT NOT NULL, 
	CONSTRAINT pk_connection PRIMARY KEY (offer_id, affiliate_id), 
	CONSTRAINT fk_connection_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id), 
	CONSTRAINT fk_connection_offer_id FOREIGN KEY(offer_id) REFERENCES offer (id)
);
CREATE TABLE conversion (
	id VARCHAR(24) NOT NULL, 
	offer_id INTEGER NOT NULL, 
	goal VARCHAR(255) NOT NULL, 
	identity VARCHAR(258) NOT NULL, 
	version INTEGER NOT NULL, 
	action_id VARCHAR(255) NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	advertiser_id VARCHAR(24) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	sent_status VARCHAR(16) NOT NULL, 
	goal_title VARCHAR(255) NOT NULL, 
	comment TEXT NOT NULL, 
	payment_type VARCHAR(8) NOT NULL, 
	payment JSON, 
	modifiers JSON NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	rate BIGINT NOT NULL, 
	sum BIGINT NOT NULL, 
	charge BIGINT NOT NULL, 
	payout BIGINT NOT NULL, 
	charge_base BIGINT NOT NULL, 
	payout_base BIGINT NOT NULL, 
	custom_fields JSON NOT NULL, 
	click_id VARCHAR(24) NOT NULL, 
	click_time BIGINT NOT NULL, 
	click JSON NOT NULL, 
	country VARCHAR(2) NOT NULL, 
	os VARCHAR(64) NOT NULL, 
	device VARCHAR(32) NOT NULL, 
	browser VARCHAR(64) NOT NULL, 
	click_ip VARCHAR(45) NOT NULL, 
	call_ip VARCHAR(45) NOT NULL, 
	user_id VARCHAR(255) NOT NULL, 
	journal VARCHAR(40) NOT NULL, 
	position BIGINT NOT NULL, 
	hold_until BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	referrer_id INTEGER, 
	referral_percent BIGINT NOT NULL, test BOOLEAN DEFAULT 0 NOT NULL, repeated BOOLEAN DEFAULT 0 NOT NULL, from_click_address BOOLEAN DEFAULT 0 NOT NULL, promo_code VARCHAR(36), quality_held BOOLEAN DEFAULT 0 NOT NULL, signals INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_conversion PRIMARY KEY (id), 
	CONSTRAINT uq_conversion_identity UNIQUE (offer_id, goal, identity)
);
CREATE TABLE conversion_event (
	conversion_id VARCHAR(24) NOT NULL, 
	version INTEGER NOT NULL, 
	at BIGINT NOT NULL, 
	actor VARCHAR(64) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	charge BIGINT NOT NULL, 
	payout BIGINT NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	comment TEXT NOT NULL, 
	CONSTRAINT pk_conversion_event PRIMARY KEY (conversion_id, version), 
	CONSTRAINT fk_conversion_event_conversion_id FOREIGN KEY(conversion_id) REFERENCES conversion (id)
);
CREATE TABLE conversion_task (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	kind VARCHAR(8) NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	actor VARCHAR(64) NOT NULL, 
	item JSON NOT NULL, 
	created_at BIGINT NOT NULL
);
CREATE TABLE correction (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	affiliate_id INTEGER NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	amount BIGINT NOT NULL, 
	comment TEXT NOT NULL, 
	created_by VARCHAR(24) NOT NULL, 
	created_at BIGINT NOT NULL, payment_id INTEGER, removed_at BIGINT, 
	CONSTRAINT fk_correction_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id)
);
CREATE TABLE counter (
	name TEXT NOT NULL, 
	offer_id INTEGER NOT NULL, 
	limit_id VARCHAR(24) NOT NULL, 
	start BIGINT NOT NULL, 
	until BIGINT, 
	goal VARCHAR(255), 
	affiliate_id INTEGER, 
	country VARCHAR(2), 
	conversions BIGINT NOT NULL, 
	budget BIGINT NOT NULL, 
	notified BOOLEAN NOT NULL, 
	CONSTRAINT pk_counter PRIMARY KEY (name)
);
CREATE TABLE currency (
	code VARCHAR(3) NOT NULL, 
	active BOOLEAN NOT NULL, 
	min_payment BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_currency PRIMARY KEY (code)
);
CREATE TABLE currency_rate (
	currency VARCHAR(3) NOT NULL, 
	from_at BIGINT NOT NULL, 
	rate BIGINT NOT NULL, 
	source VARCHAR(8) NOT NULL, 
	CONSTRAINT pk_currency_rate PRIMARY KEY (currency, from_at)
);
CREATE TABLE custom_field (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	name VARCHAR(200) NOT NULL, 
	required BOOLEAN NOT NULL, 
	field_type VARCHAR(16) NOT NULL, 
	field_values JSON, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT uq_custom_field_name UNIQUE (name)
);
CREATE TABLE "delivery" (
	id VARCHAR(24) NOT NULL, 
	job_id VARCHAR(24) NOT NULL, 
	sequence BIGINT NOT NULL, 
	subject_id VARCHAR(24) NOT NULL, 
	postback_id INTEGER NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	offer_id INTEGER NOT NULL, 
	advertiser_id VARCHAR(24) NOT NULL, 
	goal VARCHAR(255) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	url TEXT NOT NULL, 
	host VARCHAR(255) NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_at BIGINT NOT NULL, 
	lease_until BIGINT NOT NULL, 
	owner VARCHAR(64) NOT NULL, 
	forced BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	kind VARCHAR(16) NOT NULL, body TEXT, 
	CONSTRAINT pk_delivery PRIMARY KEY (id), 
	CONSTRAINT uq_delivery_subject_id_postback_id_sequence_forced_kind UNIQUE (subject_id, postback_id, sequence, forced, kind)
);
CREATE TABLE domain (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	url VARCHAR(255) NOT NULL, 
	use_https BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT uq_domain_url UNIQUE (url)
);
CREATE TABLE edge (
	number INTEGER NOT NULL, 
	directory_id VARCHAR(24) NOT NULL, 
	slot INTEGER NOT NULL, 
	claimed_at BIGINT NOT NULL, ended_at BIGINT, 
	CONSTRAINT pk_edge PRIMARY KEY (number), 
	CONSTRAINT uq_edge_directory_id_slot UNIQUE (directory_id, slot)
);
CREATE TABLE edge_progress (
	edge INTEGER NOT NULL, 
	journal VARCHAR(40) NOT NULL, 
	position BIGINT NOT NULL, 
	loaded_until BIGINT NOT NULL, 
	begun_until BIGINT NOT NULL, used_until BIGINT DEFAULT '0' NOT NULL, 
	CONSTRAINT pk_edge_progress PRIMARY KEY (edge)
);
CREATE TABLE email_confirmation (
	digest VARCHAR(64) NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	email VARCHAR(254) NOT NULL, 
	expires_at BIGINT NOT NULL, mail_id VARCHAR(24) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_email_confirmation PRIMARY KEY (digest)
);
CREATE TABLE erasure (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	subject VARCHAR(16) NOT NULL, 
	value VARCHAR(255) NOT NULL, 
	at BIGINT NOT NULL, 
	staff_id VARCHAR(24) NOT NULL, 
	sql_at BIGINT, 
	analytics_at BIGINT
);
CREATE TABLE fetch (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	offer_id INTEGER NOT NULL, 
	creative_id INTEGER NOT NULL, 
	url TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_at BIGINT NOT NULL, 
	created_at BIGINT NOT NULL
);
CREATE TABLE file (
	id VARCHAR(32) NOT NULL, 
	name VARCHAR(255) NOT NULL, 
	mime VARCHAR(64) NOT NULL, 
	size INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_file PRIMARY KEY (id)
);
CREATE TABLE first_answer (
	name VARCHAR(64) NOT NULL, 
	asked VARCHAR(64) NOT NULL, 
	sealed TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	CONSTRAINT pk_first_answer PRIMARY KEY (name)
);
CREATE TABLE held_change (
	id VARCHAR(24) NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	subject_id INTEGER NOT NULL, 
	asked JSON NOT NULL, 
	"before" JSON NOT NULL, 
	state VARCHAR(16) NOT NULL, 
	author_id VARCHAR(24) NOT NULL, 
	decided_by VARCHAR(24) NOT NULL, 
	created_at BIGINT NOT NULL, 
	decided_at BIGINT, 
	CONSTRAINT pk_held_change PRIMARY KEY (id)
);
CREATE TABLE inbox (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	journal VARCHAR(40) NOT NULL, 
	position BIGINT NOT NULL, 
	call BLOB NOT NULL, 
	click BLOB, 
	click_id VARCHAR(24) NOT NULL, 
	state VARCHAR(8) NOT NULL, 
	logged BOOLEAN NOT NULL, 
	received_at BIGINT NOT NULL, offer_hash INTEGER DEFAULT '0' NOT NULL, 
	CONSTRAINT uq_inbox_journal_position UNIQUE (journal, position)
);
CREATE TABLE invoice (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	advertiser_id VARCHAR(24) NOT NULL, 
	status VARCHAR(8) NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	start_date VARCHAR(10), 
	end_date VARCHAR(10), 
	comment TEXT, 
	detail JSON NOT NULL, 
	computed BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL
);
CREATE TABLE job_turn (
	job VARCHAR(40) NOT NULL, 
	due_at BIGINT NOT NULL, 
	CONSTRAINT pk_job_turn PRIMARY KEY (job)
);
CREATE TABLE ledger (
	affiliate_id INTEGER NOT NULL, 
	kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(24) NOT NULL, 
	version INTEGER NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	hold BIGINT NOT NULL, 
	available BIGINT NOT NULL, 
	at BIGINT NOT NULL, 
	CONSTRAINT pk_ledger PRIMARY KEY (kind, source_id, version), 
	CONSTRAINT fk_ledger_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id)
);
CREATE TABLE machine (
	directory_id VARCHAR(24) NOT NULL, 
	host VARCHAR(255) NOT NULL, 
	boot_id VARCHAR(40) NOT NULL, 
	directory TEXT NOT NULL, 
	roles VARCHAR(64) NOT NULL, 
	has_own_statistics BOOLEAN NOT NULL, 
	seen_at BIGINT NOT NULL, 
	stopped_at BIGINT, place VARCHAR(44) DEFAULT '' NOT NULL, disk_free BIGINT, disk_total BIGINT, lag_ms BIGINT, 
	CONSTRAINT pk_machine PRIMARY KEY (directory_id)
);
CREATE TABLE mail (
	id VARCHAR(24) NOT NULL, 
	recipient VARCHAR(254) NOT NULL, 
	subject TEXT NOT NULL, 
	body TEXT NOT NULL, 
	attempts INTEGER NOT NULL, 
	next_at BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, html TEXT DEFAULT '' NOT NULL, 
	CONSTRAINT pk_mail PRIMARY KEY (id)
);
CREATE TABLE mail_attachment (
	mail_id VARCHAR(24) NOT NULL, 
	place INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	kind VARCHAR(100) NOT NULL, 
	content BLOB NOT NULL, 
	CONSTRAINT pk_mail_attachment PRIMARY KEY (mail_id, place)
);
CREATE TABLE news (
	id VARCHAR(24) NOT NULL, 
	title VARCHAR(200) NOT NULL, 
	summary TEXT NOT NULL, 
	body TEXT NOT NULL, 
	published BOOLEAN NOT NULL, 
	pinned BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_news PRIMARY KEY (id)
);
CREATE TABLE offer (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	hash VARCHAR(24) NOT NULL, 
	advertiser_id VARCHAR(24) NOT NULL, 
	title VARCHAR(500) NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	privacy VARCHAR(16) NOT NULL, 
	is_top BOOLEAN NOT NULL, 
	bundle_id VARCHAR(200) NOT NULL, 
	external_offer_id VARCHAR(200) NOT NULL, 
	url TEXT NOT NULL, 
	url_preview TEXT, 
	trafficback_url TEXT, 
	macro_url TEXT, 
	cross_postback_url TEXT, 
	parallel_tracking_url TEXT, 
	impressions_url TEXT, 
	domain_id INTEGER, 
	redirect_type VARCHAR(16) NOT NULL, 
	allow_deeplink BOOLEAN NOT NULL, 
	allow_impressions BOOLEAN NOT NULL, 
	landings JSON NOT NULL, 
	last_number INTEGER NOT NULL, 
	payments JSON NOT NULL, 
	partner_payments JSON NOT NULL, 
	hide_payments BOOLEAN NOT NULL, 
	enabled_commission_tiers BOOLEAN NOT NULL, 
	commission_tiers JSON NOT NULL, 
	hold_period INTEGER NOT NULL, 
	is_cpi BOOLEAN NOT NULL, 
	caps JSON NOT NULL, 
	personal_limits JSON NOT NULL, 
	caps_status JSON NOT NULL, 
	caps_timezone VARCHAR(64), 
	caps_goal_overcap VARCHAR(255) NOT NULL, 
	hide_caps BOOLEAN NOT NULL, 
	is_redirect_overcap BOOLEAN NOT NULL, 
	notice_percent_overcap INTEGER, 
	schedule JSON, 
	targeting JSON NOT NULL, 
	consider_personal_targeting_only BOOLEAN NOT NULL, 
	countries JSON NOT NULL, 
	strictly_country BOOLEAN NOT NULL, 
	restriction_os JSON NOT NULL, 
	restriction_isp JSON NOT NULL, 
	strictly_brands JSON NOT NULL, 
	strictly_devices JSON NOT NULL, 
	strictly_connection_type VARCHAR(16) NOT NULL, 
	sub_restrictions JSON NOT NULL, 
	sub_accounts JSON NOT NULL, 
	search_empty_sub INTEGER, 
	uniq_ip_only BOOLEAN NOT NULL, 
	reject_not_uniq_ip BOOLEAN NOT NULL, 
	allowed_ip TEXT NOT NULL, 
	disallowed_ip TEXT NOT NULL, 
	hash_password VARCHAR(200), 
	click_session VARCHAR(64) NOT NULL, 
	minimal_click_session VARCHAR(64) NOT NULL, 
	auto_offer_connect BOOLEAN NOT NULL, 
	description_lang JSON NOT NULL, 
	kpi JSON NOT NULL, 
	notes TEXT, 
	note_aff TEXT, 
	note_sales TEXT, 
	sources JSON NOT NULL, 
	categories JSON NOT NULL, 
	smartlink_categories JSON NOT NULL, 
	tags JSON NOT NULL, 
	logo VARCHAR(32), 
	logo_source TEXT, 
	creatives JSON NOT NULL, 
	creatives_zip VARCHAR(32), 
	send_emails BOOLEAN NOT NULL, 
	start_at BIGINT, 
	stop_at BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	top_payout BIGINT NOT NULL, 
	day_cap INTEGER, 
	total_cap INTEGER, 
	cr BIGINT NOT NULL, 
	epc BIGINT NOT NULL, 
	week_epc BIGINT NOT NULL, 
	removed_at BIGINT, one_conversion_per_click BOOLEAN DEFAULT 0 NOT NULL, pixels BOOLEAN DEFAULT 1 NOT NULL, pixel_pages JSON DEFAULT '[]' NOT NULL, pixel_code VARCHAR(40) DEFAULT '' NOT NULL, cross_postback_method VARCHAR(4) DEFAULT 'get' NOT NULL, hold_type VARCHAR(8) DEFAULT 'days' NOT NULL, host_uniqueness_type VARCHAR(8) DEFAULT 'cookie' NOT NULL, freshness VARCHAR(16) DEFAULT 'default' NOT NULL, sign_clicks_integration VARCHAR(16) DEFAULT 'no_sign' NOT NULL, skad_app_id VARCHAR(500) DEFAULT '' NOT NULL, redirect_param VARCHAR(500) DEFAULT '' NOT NULL, product_feed_id VARCHAR(500) DEFAULT '' NOT NULL, is_impression_overcap BOOLEAN DEFAULT 0 NOT NULL, hosts_only BOOLEAN DEFAULT 0 NOT NULL, additional_impression_destination_urls JSON DEFAULT '[]' NOT NULL, managers JSON DEFAULT '[]' NOT NULL, macros_replacement JSON DEFAULT '{}' NOT NULL, macros_replacement_enabled JSON DEFAULT '[]' NOT NULL, duplicate_clicks_threshold INTEGER DEFAULT 0 NOT NULL, cross_postback_body TEXT, privacy_level INTEGER, quality VARCHAR(8) DEFAULT 'count' NOT NULL, 
	CONSTRAINT fk_offer_advertiser_id FOREIGN KEY(advertiser_id) REFERENCES advertiser (id), 
	CONSTRAINT fk_offer_domain_id FOREIGN KEY(domain_id) REFERENCES domain (id), 
	CONSTRAINT uq_offer_hash UNIQUE (hash)
);
CREATE TABLE offer_label (
	kind VARCHAR(16) NOT NULL, 
	value VARCHAR(200) NOT NULL, 
	offer_id INTEGER NOT NULL, 
	CONSTRAINT pk_offer_label PRIMARY KEY (kind, value, offer_id), 
	CONSTRAINT fk_offer_label_offer_id FOREIGN KEY(offer_id) REFERENCES offer (id)
);
CREATE TABLE outbox (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	target VARCHAR(16) NOT NULL, 
	payload BLOB NOT NULL, 
	row_count INTEGER NOT NULL, 
	batch VARCHAR(24), 
	created_at BIGINT NOT NULL
);
CREATE TABLE parallel_call (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	offer_id INTEGER NOT NULL, 
	host VARCHAR(255) NOT NULL, 
	click BLOB NOT NULL, 
	created_at BIGINT NOT NULL
);
CREATE TABLE past_edge (
	number INTEGER NOT NULL, 
	claimed_at BIGINT NOT NULL, 
	ended_at BIGINT NOT NULL, 
	directory_id VARCHAR(24) NOT NULL, 
	slot INTEGER NOT NULL, 
	journal VARCHAR(40) NOT NULL, 
	CONSTRAINT pk_past_edge PRIMARY KEY (number, claimed_at)
);
CREATE TABLE payment (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	affiliate_id INTEGER NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	amount BIGINT NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	comment TEXT NOT NULL, 
	created_by VARCHAR(24) NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	paid_at BIGINT, note TEXT DEFAULT '' NOT NULL, account TEXT DEFAULT '' NOT NULL, system_id INTEGER, 
	CONSTRAINT fk_payment_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id)
);
CREATE TABLE payment_entry (
	kind VARCHAR(16) NOT NULL, 
	source_id VARCHAR(24) NOT NULL, 
	version INTEGER NOT NULL, 
	payment_id INTEGER NOT NULL, 
	CONSTRAINT pk_payment_entry PRIMARY KEY (kind, source_id, version), 
	CONSTRAINT fk_payment_entry_payment_id FOREIGN KEY(payment_id) REFERENCES payment (id)
);
CREATE TABLE payment_request (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	affiliate_id INTEGER NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	amount BIGINT NOT NULL, 
	system_id INTEGER, 
	comment TEXT NOT NULL, 
	status VARCHAR(16) NOT NULL, 
	reason TEXT NOT NULL, 
	payment_id INTEGER, 
	decided_by VARCHAR(24) NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT fk_payment_request_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id), 
	CONSTRAINT fk_payment_request_payment_id FOREIGN KEY(payment_id) REFERENCES payment (id)
);
CREATE TABLE payment_system (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	lang_label VARCHAR(200) NOT NULL, 
	currency VARCHAR(3), 
	fields JSON NOT NULL, 
	last_field INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL
);
CREATE TABLE pixel (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	affiliate_id INTEGER NOT NULL, 
	offer_id INTEGER NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	code TEXT NOT NULL, 
	code_type VARCHAR(16) NOT NULL, 
	is_active BOOLEAN NOT NULL, 
	moderation_status INTEGER NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT fk_pixel_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id), 
	CONSTRAINT fk_pixel_offer_id FOREIGN KEY(offer_id) REFERENCES offer (id)
);
CREATE TABLE preference (
	owner VARCHAR(40) NOT NULL, 
	timezone VARCHAR(64) NOT NULL, 
	language VARCHAR(8) NOT NULL, 
	single_keys BOOLEAN NOT NULL, 
	pages JSON NOT NULL, 
	CONSTRAINT pk_preference PRIMARY KEY (owner)
);
CREATE TABLE preset (
	id VARCHAR(24) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	kind VARCHAR(32) NOT NULL, 
	permissions JSON NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_preset PRIMARY KEY (id)
);
CREATE TABLE product_feed (
	id VARCHAR(24) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	items INTEGER NOT NULL, 
	items_at BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, url TEXT DEFAULT '' NOT NULL, last_error TEXT DEFAULT '' NOT NULL, refresh_hours INTEGER DEFAULT '24' NOT NULL, next_read_at BIGINT, claimed_until BIGINT, last_read_at BIGINT, etag VARCHAR(300) DEFAULT '' NOT NULL, modified VARCHAR(300) DEFAULT '' NOT NULL, 
	CONSTRAINT pk_product_feed PRIMARY KEY (id)
);
CREATE TABLE product_item (
	id VARCHAR(24) NOT NULL, 
	feed_id VARCHAR(24) NOT NULL, 
	place INTEGER NOT NULL, 
	sku VARCHAR(200) NOT NULL, 
	brand VARCHAR(200) NOT NULL, 
	brand_sku VARCHAR(200) NOT NULL, 
	category VARCHAR(200) NOT NULL, 
	subcategory VARCHAR(200) NOT NULL, 
	name VARCHAR(500) NOT NULL, 
	url TEXT NOT NULL, 
	image_url TEXT NOT NULL, 
	description TEXT NOT NULL, 
	price VARCHAR(30) NOT NULL, 
	currency VARCHAR(3) NOT NULL, 
	availability VARCHAR(50) NOT NULL, 
	CONSTRAINT pk_product_item PRIMARY KEY (id), 
	CONSTRAINT fk_product_item_feed_id FOREIGN KEY(feed_id) REFERENCES product_feed (id)
);
CREATE TABLE promo_code (
	id VARCHAR(24) NOT NULL, 
	code VARCHAR(36) NOT NULL, 
	folded VARCHAR(36) NOT NULL, 
	description VARCHAR(130) NOT NULL, 
	offer_id INTEGER NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	usage_limit INTEGER, 
	date_from BIGINT NOT NULL, 
	date_to BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_promo_code PRIMARY KEY (id), 
	CONSTRAINT fk_promo_code_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id), 
	CONSTRAINT fk_promo_code_offer_id FOREIGN KEY(offer_id) REFERENCES offer (id), 
	CONSTRAINT uq_promo_code_folded UNIQUE (folded)
);
CREATE TABLE rebuild (
	number INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	owner VARCHAR(24) NOT NULL, 
	stage VARCHAR(16) NOT NULL, 
	begun_at BIGINT NOT NULL, 
	ended_at BIGINT
);
CREATE TABLE recovery_code (
	digest VARCHAR(64) NOT NULL, 
	owner VARCHAR(40) NOT NULL, 
	CONSTRAINT pk_recovery_code PRIMARY KEY (digest)
);
CREATE TABLE report_mail (
	id VARCHAR(24) NOT NULL, 
	report_id VARCHAR(24) NOT NULL, 
	owner VARCHAR(40) NOT NULL, 
	every VARCHAR(8) NOT NULL, 
	weekday INTEGER NOT NULL, 
	hour INTEGER NOT NULL, 
	next_at BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, files VARCHAR(8) DEFAULT 'csv' NOT NULL, 
	CONSTRAINT pk_report_mail PRIMARY KEY (id)
);
CREATE TABLE rule_change (
	kind VARCHAR(16) NOT NULL, 
	"key" VARCHAR(24) NOT NULL, 
	version BIGINT NOT NULL, 
	CONSTRAINT pk_rule_change PRIMARY KEY (kind, "key")
);
CREATE TABLE rule_clock (
	id INTEGER NOT NULL, 
	version BIGINT NOT NULL, 
	CONSTRAINT pk_rule_clock PRIMARY KEY (id)
);
CREATE TABLE saved_report (
	id VARCHAR(24) NOT NULL, 
	owner VARCHAR(40) NOT NULL, 
	name VARCHAR(100) NOT NULL, 
	"query" TEXT NOT NULL, 
	shared BOOLEAN NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_saved_report PRIMARY KEY (id)
);
CREATE TABLE second_factor (
	owner VARCHAR(40) NOT NULL, 
	sealed TEXT NOT NULL, 
	last_step BIGINT NOT NULL, 
	created_at BIGINT NOT NULL, 
	confirmed_at BIGINT, 
	CONSTRAINT pk_second_factor PRIMARY KEY (owner)
);
CREATE TABLE security_log (
	id VARCHAR(24) NOT NULL, 
	at BIGINT NOT NULL, 
	event VARCHAR(16) NOT NULL, 
	outcome VARCHAR(16) NOT NULL, 
	actor_kind VARCHAR(16) NOT NULL, 
	actor_id VARCHAR(24) NOT NULL, 
	subject VARCHAR(200) NOT NULL, 
	address VARCHAR(45) NOT NULL, 
	user_agent VARCHAR(300) NOT NULL, 
	request_id VARCHAR(64) NOT NULL, 
	client_request_id VARCHAR(64) NOT NULL, 
	CONSTRAINT pk_security_log PRIMARY KEY (id)
);
CREATE TABLE session (
	id VARCHAR(24) NOT NULL, 
	digest VARCHAR(64) NOT NULL, 
	owner_kind VARCHAR(16) NOT NULL, 
	owner_id VARCHAR(24) NOT NULL, 
	created_at BIGINT NOT NULL, 
	last_used_at BIGINT NOT NULL, 
	idle_until BIGINT NOT NULL, 
	expires_at BIGINT NOT NULL, 
	address VARCHAR(64) NOT NULL, 
	user_agent VARCHAR(300) NOT NULL, 
	second_factor BOOLEAN NOT NULL, 
	CONSTRAINT pk_session PRIMARY KEY (id), 
	CONSTRAINT uq_session_digest UNIQUE (digest)
);
CREATE TABLE setting (
	name VARCHAR(64) NOT NULL, 
	value JSON NOT NULL, 
	CONSTRAINT pk_setting PRIMARY KEY (name)
);
CREATE TABLE sign_in_failure (
	name VARCHAR(64) NOT NULL, 
	failures INTEGER NOT NULL, 
	since BIGINT NOT NULL, 
	CONSTRAINT pk_sign_in_failure PRIMARY KEY (name)
);
CREATE TABLE sign_in_link (
	digest VARCHAR(64) NOT NULL, 
	owner VARCHAR(40) NOT NULL, 
	mail_id VARCHAR(24) NOT NULL, 
	expires_at BIGINT NOT NULL, 
	CONSTRAINT pk_sign_in_link PRIMARY KEY (digest)
);
CREATE TABLE smartlink_category (
	id VARCHAR(24) NOT NULL, 
	name VARCHAR(200) NOT NULL, 
	domain_id INTEGER, 
	description TEXT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_smartlink_category PRIMARY KEY (id), 
	CONSTRAINT fk_smartlink_category_domain_id FOREIGN KEY(domain_id) REFERENCES domain (id)
);
CREATE TABLE source (
	id VARCHAR(24) NOT NULL, 
	title_lang JSON NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	CONSTRAINT pk_source PRIMARY KEY (id)
);
CREATE TABLE staff (
	id VARCHAR(24) NOT NULL, 
	email VARCHAR(254) NOT NULL, 
	password_hash VARCHAR(200), 
	first_name VARCHAR(200) NOT NULL, 
	last_name VARCHAR(200) NOT NULL, 
	skype VARCHAR(200) NOT NULL, 
	work_hours VARCHAR(200) NOT NULL, 
	roles JSON NOT NULL, 
	last_login_at BIGINT, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, statistics_revenue VARCHAR(16), statistics_rows VARCHAR(16), status VARCHAR(16) DEFAULT 'active' NOT NULL, whatsapp VARCHAR(200) DEFAULT '' NOT NULL, telegram VARCHAR(200) DEFAULT '' NOT NULL, viber VARCHAR(200) DEFAULT '' NOT NULL, facebook VARCHAR(200) DEFAULT '' NOT NULL, wechat VARCHAR(200) DEFAULT '' NOT NULL, internal_telegram_username VARCHAR(200) DEFAULT '' NOT NULL, permissions JSON DEFAULT '{}' NOT NULL, 
	CONSTRAINT pk_staff PRIMARY KEY (id), 
	CONSTRAINT uq_staff_email UNIQUE (email)
);
CREATE TABLE sub_block (
	firing_id VARCHAR(24) NOT NULL, 
	offer_id INTEGER NOT NULL, 
	affiliate_id INTEGER NOT NULL, 
	sub INTEGER NOT NULL, 
	value TEXT NOT NULL, 
	CONSTRAINT pk_sub_block PRIMARY KEY (firing_id)
);
CREATE TABLE terms_acceptance (
	affiliate_id INTEGER NOT NULL, 
	version VARCHAR(16) NOT NULL, 
	accepted_at BIGINT NOT NULL, 
	CONSTRAINT pk_terms_acceptance PRIMARY KEY (affiliate_id, version)
);
CREATE TABLE "ticket" (
	id INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT, 
	status VARCHAR(8) NOT NULL, 
	decision VARCHAR(8), 
	decided_by VARCHAR(24), 
	affiliate_id INTEGER NOT NULL, 
	offer_id INTEGER, 
	title VARCHAR(600) NOT NULL, 
	description TEXT NOT NULL, 
	created_at BIGINT NOT NULL, 
	updated_at BIGINT NOT NULL, 
	reason TEXT DEFAULT ('') NOT NULL, 
	smartlink_id VARCHAR(24), 
	answers JSON DEFAULT '[]' NOT NULL, 
	type VARCHAR(20) DEFAULT 'offer' NOT NULL, 
	CONSTRAINT fk_ticket_offer_id FOREIGN KEY(offer_id) REFERENCES offer (id), 
	CONSTRAINT fk_ticket_affiliate_id FOREIGN KEY(affiliate_id) REFERENCES affiliate (id)
);
CREATE TABLE url_check (
	offer_id INTEGER NOT NULL, 
	due_at BIGINT NOT NULL, 
	result JSON, 
	CONSTRAINT pk_url_check PRIMARY KEY (offer_id), 
	CONSTRAINT fk_url_check_offer_id FOREIGN KEY(offer_id) REFERENCES offer (id)
);
CREATE TABLE url_host (
	host VARCHAR(255) NOT NULL, 
	visited_at BIGINT NOT NULL, 
	CONSTRAINT pk_url_host PRIMARY KEY (host)
);
CREATE TABLE usual_time (
	offer_id INTEGER NOT NULL, 
	goal VARCHAR(255) NOT NULL, 
	number BIGINT NOT NULL, 
	first BIGINT NOT NULL, 
	third BIGINT NOT NULL, 
	CONSTRAINT pk_usual_time PRIMARY KEY (offer_id, goal)
);
INSERT INTO "ad_cost" VALUES(10,10,'day 0','sub8 0',10,10);
INSERT INTO "ad_cost" VALUES(11,11,'day 1','sub8 1',11,11);
INSERT INTO "advertiser" VALUES('0123456789abcdef01234560','title 0','contact 0','email 0','url 0','skype 0','note 0','0123456789abcdef01234560','[]','[]','hash_password 0','address_1 0','address_2 0','city 0','US','zip_code 0','vat_code 0','[]',0,'[]','password_hash 0',10,10,'signing_secret 0','active',0,NULL,0,'{}',NULL,NULL,0,NULL);
INSERT INTO "advertiser" VALUES('0123456789abcdef01234561','title 1','contact 1','email 1','url 1','skype 1','note 1','0123456789abcdef01234561','[]','[]','hash_password 1','address_1 1','address_2 1','city 1','EU','zip_code 1','vat_code 1','[]',1,'[]','password_hash 1',11,11,'signing_secret 1','active',0,NULL,0,'{}',NULL,NULL,0,NULL);
INSERT INTO "advertiser_blacklist" VALUES('0123456789abcdef01234560',10,10,0);
INSERT INTO "advertiser_blacklist" VALUES('0123456789abcdef01234561',11,11,0);
INSERT INTO "affiliate" VALUES(10,'email 0','login 0','password_hash 0','not active','name 0','contact_person 0','notes 0',10,125000,10,'0123456789abcdef01234560','[]','[]','[]','[]','postback_secret 0','address_1 0','address_2 0','city 0','US','zip_code 0','phone 0','company 0','{}',0,'[]',10,10,10,'istics_revenue 0','tatistics_rows 0','not asked','');
INSERT INTO "affiliate" VALUES(11,'email 1','login 1','password_hash 1','active','name 1','contact_person 1','notes 1',11,250000,11,'0123456789abcdef01234561','[]','[]','[]','[]','postback_secret 1','address_1 1','address_2 1','city 1','EU','zip_code 1','phone 1','company 1','{}',1,'[]',11,11,11,'istics_revenue 1','tatistics_rows 1','waiting','');
INSERT INTO "affiliate_login" VALUES('name 0',10);
INSERT INTO "affiliate_login" VALUES('name 1',11);
INSERT INTO "affiliate_postback" VALUES(10,10,10,'url 0','status 0','goal 0',0,10,10,10,10);
INSERT INTO "affiliate_postback" VALUES(11,11,11,'url 1','status 1','goal 1',1,11,11,11,11);
INSERT INTO "alembic_version" VALUES('0040');
INSERT INTO "alert" VALUES('0123456789abcdef01234560','kind 0','finding 0','subject 0','open_key 0','source 0','[]',10,10,'advertiser_id 0',10,10,10);
INSERT INTO "alert" VALUES('0123456789abcdef01234561','kind 1','finding 1','subject 1','open_key 1','source 1','[]',11,11,'advertiser_id 1',11,11,11);
INSERT INTO "alert_choice" VALUES('owner 0','[]','0','0',0,'digest 0',10,10,0);
INSERT INTO "alert_choice" VALUES('owner 1','[]','1','1',1,'digest 1',11,11,1);
INSERT INTO "alert_notice" VALUES('owner 0','alert_id 0',10);
INSERT INTO "alert_notice" VALUES('owner 1','alert_id 1',11);
INSERT INTO "api_key" VALUES('digest 0','sealed 0','staff','0123456789abcdef01234560',10,10,'0123456789abcdef01234560',0,'name 0','[]','[]',10,'0123456789abcdef01234560','istics_revenue 0','tatistics_rows 0');
INSERT INTO "api_key" VALUES('digest 1','sealed 1','affiliate','0123456789abcdef01234561',11,11,'0123456789abcdef01234561',1,'name 1','[]','[]',11,'0123456789abcdef01234561','istics_revenue 1','tatistics_rows 1');
INSERT INTO "audit" VALUES('0123456789abcdef01234560',10,'0123456789abcdef01234560','request_id 0','method 0','what 0','key 0','[]',10,'client_request_id 0','address 0','');
INSERT INTO "audit" VALUES('0123456789abcdef01234561',11,'0123456789abcdef01234561','request_id 1','method 1','what 1','key 1','[]',11,'client_request_id 1','address 1','');
INSERT INTO "automation_change" VALUES('0123456789abcdef01234560','rule_id 0','kind 0','type 0','by 0',10,'offers 0','affiliates 0','[]');
INSERT INTO "automation_change" VALUES('0123456789abcdef01234561','rule_id 1','kind 1','type 1','by 1',11,'offers 1','affiliates 1','[]');
INSERT INTO "automation_firing" VALUES('0123456789abcdef01234560','rule_id 0',10,'[]','element_key 0',10,10,'advertiser_id 0','0','sub_value 0',10,10,10,'[]','action 0','[]',10,'undone_by 0',10,10);
INSERT INTO "automation_firing" VALUES('0123456789abcdef01234561','rule_id 1',11,'[]','element_key 1',11,11,'advertiser_id 1','1','sub_value 1',11,11,11,'[]','action 1','[]',11,'undone_by 1',11,11);
INSERT INTO "automation_rule" VALUES('0123456789abcdef01234560','kind 0','title 0',0,'[]','[]','[]','[]','[]','[]',10,10,'action 0','new_status 0','first_goal 0','second_goal 0',0,0,'webhook 0','created_by 0',10,10,10,10,'failure 0','[]');
INSERT INTO "automation_rule" VALUES('0123456789abcdef01234561','kind 1','title 1',1,'[]','[]','[]','[]','[]','[]',11,11,'action 1','new_status 1','first_goal 1','second_goal 1',1,1,'webhook 1','created_by 1',11,11,11,11,'failure 1','[]');
INSERT INTO "category" VALUES('0123456789abcdef01234560','title 0',10,10);
INSERT INTO "category" VALUES('0123456789abcdef01234561','title 1',11,11);
INSERT INTO "comparison" VALUES('0123456789abcdef01234560','side 0','subject_id 0','file_name 0','created_by 0',10,'day_from 0','day_to 0','zone 0','[]','[]','[]',10,'[]','[]');
INSERT INTO "comparison" VALUES('0123456789abcdef01234561','side 1','subject_id 1','file_name 1','created_by 1',11,'day_from 1','day_to 1','zone 1','[]','[]','[]',11,'[]','[]');
INSERT INTO "connection" VALUES(10,10,0,10);
INSERT INTO "connection" VALUES(11,11,1,11);
INSERT INTO "conversion" VALUES('0123456789abcdef01234560',10,'goal 0','identity 0',10,'action_id 0',10,'0123456789abcdef01234560','status 0','sent_status 0','goal_title 0','comment 0','t_type 0','[]','[]','USD',125000000000,125000,125000,125000,125000,125000,'[]','0123456789abcdef01234560',10,'[]','US','os 0','device 0','browser 0','click_ip 0','call_ip 0','user_id 0','journal 0',10,10,10,10,10,125000,0,0,0,NULL,0,0);
INSERT INTO "conversion" VALUES('0123456789abcdef01234561',11,'goal 1','identity 1',11,'action_id 1',11,'0123456789abcdef01234561','status 1','sent_status 1','goal_title 1','comment 1','t_type 1','[]','[]','EUR',250000000000,250000,250000,250000,250000,250000,'[]','0123456789abcdef01234561',11,'[]','EU','os 1','device 1','browser 1','click_ip 1','call_ip 1','user_id 1','journal 1',11,11,11,11,11,250000,1,1,1,NULL,0,0);
INSERT INTO "conversion_event" VALUES('0123456789abcdef01234560',10,10,'actor 0','status 0',125000,125000,'USD','comment 0');
INSERT INTO "conversion_event" VALUES('0123456789abcdef01234561',11,11,'actor 1','status 1',250000,250000,'EUR','comment 1');
INSERT INTO "conversion_task" VALUES(10,'kind 0','state 0','actor 0','[]',10);
INSERT INTO "conversion_task" VALUES(11,'kind 1','state 1','actor 1','[]',11);
INSERT INTO "correction" VALUES(10,10,'0',10,'comment 0','created_by 0',10,NULL,NULL);
INSERT INTO "correction" VALUES(11,11,'1',11,'comment 1','created_by 1',11,NULL,NULL);
INSERT INTO "counter" VALUES('name 0',10,'0123456789abcdef01234560',10,10,'goal 0',10,'US',10,125000,0);
INSERT INTO "counter" VALUES('name 1',11,'0123456789abcdef01234561',11,11,'goal 1',11,'EU',11,250000,1);
INSERT INTO "currency" VALUES('USD',0,125000,10);
INSERT INTO "currency" VALUES('EUR',1,250000,11);
INSERT INTO "currency_rate" VALUES('USD',10,125000000000,'source 0');
INSERT INTO "currency_rate" VALUES('EUR',11,250000000000,'source 1');
INSERT INTO "custom_field" VALUES(10,'name 0',0,'text','[]',10,10);
INSERT INTO "custom_field" VALUES(11,'name 1',1,'textarea','[]',11,11);
INSERT INTO "delivery" VALUES('0123456789abcdef01234560','0123456789abcdef01234560',10,'0123456789abcdef01234560',10,10,10,'0123456789abcdef01234560','goal 0','status 0','url 0','host 0',10,10,10,'owner 0',0,10,'kind 0',NULL);
INSERT INTO "delivery" VALUES('0123456789abcdef01234561','0123456789abcdef01234561',11,'0123456789abcdef01234561',11,11,11,'0123456789abcdef01234561','goal 1','status 1','url 1','host 1',11,11,11,'owner 1',1,11,'kind 1',NULL);
INSERT INTO "domain" VALUES(10,'url 0',0,10,10);
INSERT INTO "domain" VALUES(11,'url 1',1,11,11);
INSERT INTO "edge" VALUES(10,'0123456789abcdef01234560',10,10,NULL);
INSERT INTO "edge" VALUES(11,'0123456789abcdef01234561',11,11,NULL);
INSERT INTO "edge_progress" VALUES(10,'journal 0',10,10,10,10);
INSERT INTO "edge_progress" VALUES(11,'journal 1',11,11,11,11);
INSERT INTO "email_confirmation" VALUES('digest 0',10,'email 0',10,'');
INSERT INTO "email_confirmation" VALUES('digest 1',11,'email 1',11,'');
INSERT INTO "erasure" VALUES(10,'subject 0','value 0',10,'0123456789abcdef01234560',10,10);
INSERT INTO "erasure" VALUES(11,'subject 1','value 1',11,'0123456789abcdef01234561',11,11);
INSERT INTO "fetch" VALUES(10,10,10,'url 0',10,10,10);
INSERT INTO "fetch" VALUES(11,11,11,'url 1',11,11,11);
INSERT INTO "file" VALUES('id 0','name 0','mime 0',10,10);
INSERT INTO "file" VALUES('id 1','name 1','mime 1',11,11);
INSERT INTO "first_answer" VALUES('name 0','asked 0','sealed 0',10);
INSERT INTO "first_answer" VALUES('name 1','asked 1','sealed 1',11);
INSERT INTO "held_change" VALUES('0123456789abcdef01234560','kind 0',10,10,'[]','[]','state 0','author_id 0','decided_by 0',10,10);
INSERT INTO "held_change" VALUES('0123456789abcdef01234561','kind 1',11,11,'[]','[]','state 1','author_id 1','decided_by 1',11,11);
INSERT INTO "inbox" VALUES(10,'journal 0',10,X'01',X'01','0123456789abcdef01234560','state 0',0,10,0);
INSERT INTO "inbox" VALUES(11,'journal 1',11,X'0101',X'0101','0123456789abcdef01234561','state 1',1,11,0);
INSERT INTO "invoice" VALUES(10,'0123456789abcdef01234560','paid','USD','art_date 0','end_date 0','comment 0','[]',0,10,10);
INSERT INTO "invoice" VALUES(11,'0123456789abcdef01234561','unpaid','EUR','art_date 1','end_date 1','comment 1','[]',1,11,11);
INSERT INTO "job_turn" VALUES('job 0',10);
INSERT INTO "job_turn" VALUES('job 1',11);
INSERT INTO "ledger" VALUES(10,'kind 0','0123456789abcdef01234560',10,'USD',125000,125000,10);
INSERT INTO "ledger" VALUES(11,'kind 1','0123456789abcdef01234561',11,'EUR',250000,250000,11);
INSERT INTO "machine" VALUES('directory_id 0','host 0','boot_id 0','directory 0','roles 0',0,10,10,'place 0',NULL,NULL,NULL);
INSERT INTO "machine" VALUES('directory_id 1','host 1','boot_id 1','directory 1','roles 1',1,11,11,'place 1',NULL,NULL,NULL);
INSERT INTO "mail" VALUES('0123456789abcdef01234560','recipient 0','subject 0','body 0',10,10,10,'');
INSERT INTO "mail" VALUES('0123456789abcdef01234561','recipient 1','subject 1','body 1',11,11,11,'');
INSERT INTO "mail_attachment" VALUES('mail_id 0',10,'name 0','kind 0',X'636F6E74656E742030');
INSERT INTO "mail_attachment" VALUES('mail_id 1',11,'name 1','kind 1',X'636F6E74656E742031');
INSERT INTO "news" VALUES('0123456789abcdef01234560','title 0','summary 0','body 0',0,0,10,10);
INSERT INTO "news" VALUES('0123456789abcdef01234561','title 1','summary 1','body 1',1,1,11,11);
INSERT INTO "offer" VALUES(10,'0123456789abcdef01234560','0123456789abcdef01234560','title 0','status 0','privacy 0',0,'bundle_id 0','external_offer_id 0','url 0','url_preview 0','trafficback_url 0','macro_url 0','cross_postback_url 0','parallel_tracking_url 0','impressions_url 0',10,'redirect_type 0',0,0,'[]',10,'[]','[]',0,0,'[]',10,0,'[]','[]','[]','caps_timezone 0','caps_goal_overcap 0',0,0,10,'[]','[]',0,'[]',0,'[]','[]','[]','[]','onnection_type 0','[]','[]',10,0,0,'allowed_ip 0','disallowed_ip 0','hash_password 0','click_session 0','minimal_click_session 0',0,'[]','[]','notes 0','note_aff 0','note_sales 0','[]','[]','[]','[]','logo 0','logo_source 0','[]','creatives_zip 0',0,10,10,10,10,125000,10,10,125000,125000,125000,10,0,0,'[]','pixel_code 0','get','days','cookie','default','no_sign','','','',0,0,'[]','[]','{}','[]',0,NULL,NULL,'count');
INSERT INTO "offer" VALUES(11,'0123456789abcdef01234561','0123456789abcdef01234561','title 1','status 1','privacy 1',1,'bundle_id 1','external_offer_id 1','url 1','url_preview 1','trafficback_url 1','macro_url 1','cross_postback_url 1','parallel_tracking_url 1','impressions_url 1',11,'redirect_type 1',1,1,'[]',11,'[]','[]',1,1,'[]',11,1,'[]','[]','[]','caps_timezone 1','caps_goal_overcap 1',1,1,11,'[]','[]',1,'[]',1,'[]','[]','[]','[]','onnection_type 1','[]','[]',11,1,1,'allowed_ip 1','disallowed_ip 1','hash_password 1','click_session 1','minimal_click_session 1',1,'[]','[]','notes 1','note_aff 1','note_sales 1','[]','[]','[]','[]','logo 1','logo_source 1','[]','creatives_zip 1',1,11,11,11,11,250000,11,11,250000,250000,250000,11,1,1,'[]','pixel_code 1','get','days','cookie','default','no_sign','','','',0,0,'[]','[]','{}','[]',0,NULL,NULL,'count');
INSERT INTO "offer_label" VALUES('kind 0','value 0',10);
INSERT INTO "offer_label" VALUES('kind 1','value 1',11);
INSERT INTO "outbox" VALUES(10,'target 0',X'01',10,'0123456789abcdef01234560',10);
INSERT INTO "outbox" VALUES(11,'target 1',X'0101',11,'0123456789abcdef01234561',11);
INSERT INTO "parallel_call" VALUES(10,10,'host 0',X'01',10);
INSERT INTO "parallel_call" VALUES(11,11,'host 1',X'0101',11);
INSERT INTO "past_edge" VALUES(10,10,10,'directory_id 0',10,'journal 0');
INSERT INTO "past_edge" VALUES(11,11,11,'directory_id 1',11,'journal 1');
INSERT INTO "payment" VALUES(10,10,'USD',125000,'created','comment 0','0123456789abcdef01234560',10,10,10,'','',NULL);
INSERT INTO "payment" VALUES(11,11,'EUR',250000,'paid','comment 1','0123456789abcdef01234561',11,11,11,'','',NULL);
INSERT INTO "payment_entry" VALUES('kind 0','0123456789abcdef01234560',10,10);
INSERT INTO "payment_entry" VALUES('kind 1','0123456789abcdef01234561',11,11);
INSERT INTO "payment_request" VALUES(10,10,'0',10,10,'comment 0','status 0','reason 0',10,'decided_by 0',10,10);
INSERT INTO "payment_request" VALUES(11,11,'1',11,11,'comment 1','status 1','reason 1',11,'decided_by 1',11,11);
INSERT INTO "payment_system" VALUES(10,'lang_label 0','USD','[]',10,10,10);
INSERT INTO "payment_system" VALUES(11,'lang_label 1','EUR','[]',11,11,11);
INSERT INTO "pixel" VALUES(10,10,10,'name 0','code 0','code_type 0',0,10,10,10);
INSERT INTO "pixel" VALUES(11,11,11,'name 1','code 1','code_type 1',1,11,11,11);
INSERT INTO "preference" VALUES('owner 0','timezone 0','0',0,'[]');
INSERT INTO "preference" VALUES('owner 1','timezone 1','1',1,'[]');
INSERT INTO "preset" VALUES('0123456789abcdef01234560','name 0','kind 0','[]',10,10);
INSERT INTO "preset" VALUES('0123456789abcdef01234561','name 1','kind 1','[]',11,11);
INSERT INTO "product_feed" VALUES('0123456789abcdef01234560','name 0',10,10,10,10,'','',24,NULL,NULL,NULL,'','');
INSERT INTO "product_feed" VALUES('0123456789abcdef01234561','name 1',11,11,11,11,'','',24,NULL,NULL,NULL,'','');
INSERT INTO "product_item" VALUES('0123456789abcdef01234560','0123456789abcdef01234560',10,'sku 0','brand 0','brand_sku 0','category 0','subcategory 0','name 0','url 0','image_url 0','description 0','price 0','0','availability 0');
INSERT INTO "product_item" VALUES('0123456789abcdef01234561','0123456789abcdef01234561',11,'sku 1','brand 1','brand_sku 1','category 1','subcategory 1','name 1','url 1','image_url 1','description 1','price 1','1','availability 1');
INSERT INTO "promo_code" VALUES('0123456789abcdef01234560','code 0','folded 0','description 0',10,10,10,10,10,10,10);
INSERT INTO "promo_code" VALUES('0123456789abcdef01234561','code 1','folded 1','description 1',11,11,11,11,11,11,11);
INSERT INTO "rebuild" VALUES(10,'0123456789abcdef01234560','stage 0',10,10);
INSERT INTO "rebuild" VALUES(11,'0123456789abcdef01234561','stage 1',11,11);
INSERT INTO "recovery_code" VALUES('digest 0','owner 0');
INSERT INTO "recovery_code" VALUES('digest 1','owner 1');
INSERT INTO "report_mail" VALUES('0123456789abcdef01234560','report_id 0','owner 0','every 0',10,10,10,10,10,'csv');
INSERT INTO "report_mail" VALUES('0123456789abcdef01234561','report_id 1','owner 1','every 1',11,11,11,11,11,'csv');
INSERT INTO "rule_change" VALUES('kind 0','0123456789abcdef01234560',10);
INSERT INTO "rule_change" VALUES('kind 1','0123456789abcdef01234561',11);
INSERT INTO "rule_clock" VALUES(10,10);
INSERT INTO "rule_clock" VALUES(11,11);
INSERT INTO "saved_report" VALUES('0123456789abcdef01234560','owner 0','name 0','query 0',0,10,10);
INSERT INTO "saved_report" VALUES('0123456789abcdef01234561','owner 1','name 1','query 1',1,11,11);
INSERT INTO "second_factor" VALUES('owner 0','sealed 0',10,10,10);
INSERT INTO "second_factor" VALUES('owner 1','sealed 1',11,11,11);
INSERT INTO "security_log" VALUES('0123456789abcdef01234560',10,'event 0','outcome 0','actor_kind 0','0123456789abcdef01234560','subject 0','address 0','user_agent 0','request_id 0','client_request_id 0');
INSERT INTO "security_log" VALUES('0123456789abcdef01234561',11,'event 1','outcome 1','actor_kind 1','0123456789abcdef01234561','subject 1','address 1','user_agent 1','request_id 1','client_request_id 1');
INSERT INTO "session" VALUES('0123456789abcdef01234560','digest 0','staff','0123456789abcdef01234560',10,10,10,10,'address 0','user_agent 0',0);
INSERT INTO "session" VALUES('0123456789abcdef01234561','digest 1','affiliate','0123456789abcdef01234561',11,11,11,11,'address 1','user_agent 1',1);
INSERT INTO "setting" VALUES('name 0','[]');
INSERT INTO "setting" VALUES('name 1','[]');
INSERT INTO "sign_in_failure" VALUES('name 0',10,10);
INSERT INTO "sign_in_failure" VALUES('name 1',11,11);
INSERT INTO "sign_in_link" VALUES('digest 0','owner 0','mail_id 0',10);
INSERT INTO "sign_in_link" VALUES('digest 1','owner 1','mail_id 1',11);
INSERT INTO "smartlink_category" VALUES('0123456789abcdef01234560','name 0',10,'description 0',10,10);
INSERT INTO "smartlink_category" VALUES('0123456789abcdef01234561','name 1',11,'description 1',11,11);
INSERT INTO "source" VALUES('0123456789abcdef01234560','[]',10,10);
INSERT INTO "source" VALUES('0123456789abcdef01234561','[]',11,11);
INSERT INTO "staff" VALUES('0123456789abcdef01234560','email 0','password_hash 0','first_name 0','last_name 0','skype 0','work_hours 0','[]',10,10,10,'istics_revenue 0','tatistics_rows 0','active','','','','','','','{}');
INSERT INTO "staff" VALUES('0123456789abcdef01234561','email 1','password_hash 1','first_name 1','last_name 1','skype 1','work_hours 1','[]',11,11,11,'istics_revenue 1','tatistics_rows 1','blocked','','','','','','','{}');
INSERT INTO "sub_block" VALUES('firing_id 0',10,10,10,'value 0');
INSERT INTO "sub_block" VALUES('firing_id 1',11,11,11,'value 1');
INSERT INTO "terms_acceptance" VALUES(10,'version 0',10);
INSERT INTO "terms_acceptance" VALUES(11,'version 1',11);
INSERT INTO "ticket" VALUES(10,'status 0','cision 0','0123456789abcdef01234560',10,10,'title 0','description 0',10,10,'',NULL,'[]','offer');
INSERT INTO "ticket" VALUES(11,'status 1','cision 1','0123456789abcdef01234561',11,11,'title 1','description 1',11,11,'',NULL,'[]','offer');
INSERT INTO "url_check" VALUES(10,10,'[]');
INSERT INTO "url_check" VALUES(11,11,'[]');
INSERT INTO "url_host" VALUES('host 0',10);
INSERT INTO "url_host" VALUES('host 1',11);
INSERT INTO "usual_time" VALUES(10,'goal 0',10,10,10);
INSERT INTO "usual_time" VALUES(11,'goal 1',11,11,11);
CREATE INDEX ix_rule_change_version ON rule_change (version);
CREATE INDEX ix_affiliate_manager_id ON affiliate (manager_id);
CREATE INDEX ix_affiliate_ref ON affiliate (ref);
CREATE INDEX ix_api_key_owner ON api_key (owner_kind, owner_id);
CREATE INDEX ix_advertiser_manager_id ON advertiser (manager_id);
CREATE INDEX ix_offer_advertiser_id ON offer (advertiser_id);
CREATE INDEX ix_offer_title ON offer (removed_at, status, title, id, privacy);
CREATE INDEX ix_offer_bundle_id ON offer (bundle_id);
CREATE INDEX ix_offer_click_session ON offer (click_session);
CREATE INDEX ix_offer_schedule ON offer (id) WHERE schedule IS NOT NULL;
CREATE INDEX ix_offer_parallel ON offer (id) WHERE parallel_tracking_url IS NOT NULL;
CREATE INDEX ix_offer_label_offer_id ON offer_label (offer_id);
CREATE INDEX ix_connection_affiliate_id ON connection (affiliate_id);
CREATE INDEX ix_affiliate_postback_affiliate_id ON affiliate_postback (affiliate_id);
CREATE INDEX ix_conversion_action_id ON conversion (action_id);
CREATE INDEX ix_conversion_advertiser_id_created_at ON conversion (advertiser_id, created_at);
CREATE INDEX ix_conversion_affiliate_id_created_at ON conversion (affiliate_id, created_at);
CREATE INDEX ix_conversion_click_id ON conversion (click_id);
CREATE INDEX ix_conversion_click_ip ON conversion (offer_id, click_ip, goal, status);
CREATE INDEX ix_conversion_counted ON conversion (offer_id, created_at, status, goal, affiliate_id, country, payout_base);
CREATE INDEX ix_conversion_listed ON conversion (created_at, id, status, offer_id, affiliate_id, advertiser_id, goal, country, os, device, browser);
CREATE INDEX ix_conversion_hold_until ON conversion (hold_until);
CREATE INDEX ix_conversion_updated_at ON conversion (updated_at);
CREATE INDEX ix_conversion_referrer_id_created_at ON conversion (referrer_id, created_at) WHERE referrer_id IS NOT NULL;
CREATE INDEX ix_counter_offer_id_limit_id_start ON counter (offer_id, limit_id, start);
CREATE INDEX ix_counter_until ON counter (until);
CREATE INDEX ix_payment_affiliate_id ON payment (affiliate_id);
CREATE INDEX ix_payment_created_at ON payment (created_at);
CREATE INDEX ix_payment_entry_payment_id ON payment_entry (payment_id);
CREATE INDEX ix_payment_entry_source_id ON payment_entry (source_id, payment_id);
CREATE INDEX ix_inbox_state_id ON inbox (state, id);
CREATE INDEX ix_conversion_task_state_id ON conversion_task (state, id);
CREATE INDEX ix_outbox_batch_target_id ON outbox (batch, target, id);
CREATE INDEX ix_parallel_call_host_id ON parallel_call (host, id);
CREATE INDEX ix_fetch_next_at ON fetch (next_at);
CREATE INDEX ix_mail_next_at ON mail (next_at);
CREATE INDEX ix_sign_in_failure_since ON sign_in_failure (since);
CREATE INDEX ix_audit_at ON audit (at);
CREATE INDEX ix_audit_request_id ON audit (request_id);
CREATE INDEX ix_audit_staff_id_at ON audit (staff_id, at);
CREATE INDEX ix_audit_what_key_at ON audit (what, "key", at);
CREATE INDEX ix_advertiser_blacklist_affiliate_id ON advertiser_blacklist (affiliate_id);
CREATE INDEX ix_invoice_advertiser_id ON invoice (advertiser_id);
CREATE INDEX ix_pixel_affiliate_id_offer_id ON pixel (affiliate_id, offer_id);
CREATE INDEX ix_news_listed ON news (published, pinned, created_at, id);
CREATE INDEX ix_first_answer_created_at ON first_answer (created_at);
CREATE INDEX ix_affiliate_login_affiliate_id ON affiliate_login (affiliate_id);
CREATE INDEX ix_delivery_next_at ON delivery (next_at, lease_until);
CREATE INDEX ix_delivery_owner ON delivery (owner);
CREATE INDEX ix_offer_listed ON offer (removed_at, status, id, privacy, advertiser_id, is_top, created_at, updated_at, start_at, stop_at, cr, epc, top_payout, day_cap, total_cap, hide_caps, title, hide_payments);
CREATE INDEX ix_session_owner ON session (owner_kind, owner_id);
CREATE INDEX ix_session_idle_until ON session (idle_until);
CREATE INDEX ix_session_expires_at ON session (expires_at);
CREATE INDEX ix_audit_affiliate_id_at ON audit (affiliate_id, at);
CREATE INDEX ix_audit_client_request_id ON audit (client_request_id);
CREATE INDEX ix_security_log_at ON security_log (at);
CREATE INDEX ix_security_log_actor_id_at ON security_log (actor_id, at);
CREATE INDEX ix_security_log_address_at ON security_log (address, at);
CREATE UNIQUE INDEX ix_api_key_id ON api_key (id);
CREATE INDEX ix_recovery_code_owner ON recovery_code (owner);
CREATE INDEX ix_delivery_destination ON delivery (affiliate_id, host, next_at);
CREATE INDEX ix_email_confirmation_affiliate_id ON email_confirmation (affiliate_id);
CREATE INDEX ix_email_confirmation_expires_at ON email_confirmation (expires_at);
CREATE INDEX ix_email_confirmation_mail_id ON email_confirmation (mail_id);
CREATE INDEX ix_held_change_affiliate_id ON held_change (affiliate_id);
CREATE INDEX ix_held_change_created_at ON held_change (created_at);
CREATE INDEX ix_held_change_subject ON held_change (kind, subject_id, state);
CREATE INDEX ix_sign_in_link_owner ON sign_in_link (owner);
CREATE INDEX ix_sign_in_link_mail_id ON sign_in_link (mail_id);
CREATE INDEX ix_sign_in_link_expires_at ON sign_in_link (expires_at);
CREATE INDEX ix_payment_request_affiliate_id ON payment_request (affiliate_id, status);
CREATE INDEX ix_payment_request_status ON payment_request (status, id);
CREATE UNIQUE INDEX uq_payment_request_open ON payment_request (affiliate_id, currency) WHERE status = 'open';
CREATE INDEX ix_correction_affiliate_id ON correction (affiliate_id, id);
CREATE INDEX ix_correction_created_at ON correction (created_at);
CREATE INDEX ix_ledger_affiliate_id_currency ON ledger (affiliate_id, currency, at, kind, hold, available);
CREATE INDEX ix_saved_report_owner ON saved_report (owner);
CREATE INDEX ix_saved_report_shared ON saved_report (name) WHERE shared;
CREATE UNIQUE INDEX ix_report_mail_owner ON report_mail (owner, report_id);
CREATE INDEX ix_report_mail_report_id ON report_mail (report_id);
CREATE INDEX ix_report_mail_next_at ON report_mail (next_at);
CREATE INDEX ix_inbox_state_offer_hash ON inbox (state, offer_hash, id);
CREATE INDEX ix_correction_payment_id ON correction (payment_id);
CREATE INDEX ix_automation_change_rule_id ON automation_change (rule_id);
CREATE INDEX ix_automation_change_kind_at ON automation_change (kind, at);
CREATE INDEX ix_automation_firing_fired_at ON automation_firing (fired_at);
CREATE INDEX ix_automation_firing_webhook_due ON automation_firing (webhook_due);
CREATE INDEX ix_automation_firing_rule_id_element_key ON automation_firing (rule_id, element_key, met_until);
CREATE INDEX ix_sub_block_offer_id ON sub_block (offer_id);
CREATE INDEX ix_ad_cost_day ON ad_cost (day);
CREATE INDEX ix_ad_cost_affiliate_id ON ad_cost (affiliate_id);
CREATE INDEX ix_promo_code_offer_id ON promo_code (offer_id);
CREATE INDEX ix_promo_code_affiliate_id ON promo_code (affiliate_id);
CREATE INDEX ix_conversion_promo_code ON conversion (promo_code) WHERE promo_code IS NOT NULL;
CREATE INDEX ix_comparison_side ON comparison (side, subject_id, created_at);
CREATE INDEX ix_url_check_due_at ON url_check (due_at);
CREATE INDEX ix_url_host_visited_at ON url_host (visited_at);
CREATE INDEX ix_alert_closed_at ON alert (closed_at);
CREATE INDEX ix_alert_opened_at ON alert (opened_at, id);
CREATE INDEX ix_alert_notice_due_at ON alert_notice (due_at);
CREATE INDEX ix_alert_choice_digest_at ON alert_choice (digest_at);
CREATE INDEX ix_conversion_quality_held ON conversion (offer_id) WHERE quality_held;
CREATE UNIQUE INDEX ix_product_item_feed_id_place ON product_item (feed_id, place);
CREATE INDEX ix_ticket_offer_id ON ticket (offer_id);
CREATE INDEX ix_ticket_affiliate_id ON ticket (affiliate_id);
DELETE FROM "sqlite_sequence";
