CREATE TABLE IF NOT EXISTS `schema_step_local` ON CLUSTER `yard` (
  `number` UInt32,
  `at` DateTime DEFAULT now(),
  `program` String
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
ORDER BY number
SETTINGS fsync_after_insert = 1, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `schema_step` ON CLUSTER `yard` AS `schema_step_local`
ENGINE = Distributed('yard', currentDatabase(), 'schema_step_local', number);

CREATE TABLE IF NOT EXISTS `click_local` ON CLUSTER `yard` (
  `journal` LowCardinality(String) CODEC(ZSTD(1)),
  `position` Int64 CODEC(Delta, ZSTD(1)),
  `time` Int64 CODEC(Delta, ZSTD(1)),
  `id` String CODEC(ZSTD(1)),
  `reason` LowCardinality(String) CODEC(ZSTD(1)),
  `detail` LowCardinality(String) CODEC(ZSTD(1)),
  `offer` Int64 CODEC(ZSTD(1)),
  `affiliate` Int64 CODEC(ZSTD(1)),
  `advertiser` LowCardinality(String) CODEC(ZSTD(1)),
  `landing` Int64 CODEC(ZSTD(1)),
  `smart_id` LowCardinality(String) CODEC(ZSTD(1)),
  `uniq` UInt8 CODEC(ZSTD(1)),
  `ip` String CODEC(ZSTD(1)),
  `country` LowCardinality(String) CODEC(ZSTD(1)),
  `region` LowCardinality(String) CODEC(ZSTD(1)),
  `city_id` Int64 CODEC(ZSTD(1)),
  `city` LowCardinality(String) CODEC(ZSTD(1)),
  `isp` LowCardinality(String) CODEC(ZSTD(1)),
  `connection` LowCardinality(String) CODEC(ZSTD(1)),
  `ua` String CODEC(ZSTD(1)),
  `os` LowCardinality(String) CODEC(ZSTD(1)),
  `os_version` LowCardinality(String) CODEC(ZSTD(1)),
  `device` LowCardinality(String) CODEC(ZSTD(1)),
  `brand` LowCardinality(String) CODEC(ZSTD(1)),
  `device_model` LowCardinality(String) CODEC(ZSTD(1)),
  `browser` LowCardinality(String) CODEC(ZSTD(1)),
  `browser_version` LowCardinality(String) CODEC(ZSTD(1)),
  `language` LowCardinality(String) CODEC(ZSTD(1)),
  `referrer` String CODEC(ZSTD(1)),
  `sub1` String CODEC(ZSTD(1)),
  `sub2` String CODEC(ZSTD(1)),
  `sub3` String CODEC(ZSTD(1)),
  `sub4` String CODEC(ZSTD(1)),
  `sub5` String CODEC(ZSTD(1)),
  `sub6` String CODEC(ZSTD(1)),
  `sub7` String CODEC(ZSTD(1)),
  `sub8` String CODEC(ZSTD(1)),
  `ref_id` String CODEC(ZSTD(1)),
  `os_id` String CODEC(ZSTD(1)),
  `user_id` String CODEC(ZSTD(1)),
  `ext1` String CODEC(ZSTD(1)),
  `ext2` String CODEC(ZSTD(1)),
  `ext3` String CODEC(ZSTD(1)),
  `fbclid` String CODEC(ZSTD(1)),
  `ios_idfa` String CODEC(ZSTD(1)),
  `android_id` String CODEC(ZSTD(1)),
  `bundle_id` String CODEC(ZSTD(1)),
  `flags` Int64 CODEC(ZSTD(1)),
  `prelanding` Int64 CODEC(ZSTD(1)),
  `ruleset` Int64 CODEC(ZSTD(1)),
  `target` Int64 CODEC(ZSTD(1)),
  `origin` Int64 CODEC(ZSTD(1)),
  `cost` Int64 CODEC(ZSTD(1)),
  `test` UInt8 CODEC(ZSTD(1)),
  `forgiven` Int64 CODEC(ZSTD(1)),
  `cost_sent` Int64 CODEC(ZSTD(1)),
  `cost_currency` LowCardinality(String) CODEC(ZSTD(1)),
  `consent` LowCardinality(String) CODEC(ZSTD(1)),
  `ip_hash` String CODEC(ZSTD(1)),
  `click_ids` String CODEC(ZSTD(1)),
  PROJECTION `by_step` (SELECT intDiv(time, 86400000), intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), intDiv(time, 900000)),
  PROJECTION `by_offer_step` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id, intDiv(time, 900000)),
  PROJECTION `by_country_step` (SELECT intDiv(time, 86400000), country, os, device, intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, os, device, intDiv(time, 900000)),
  PROJECTION `by_affiliate_hour` (SELECT intDiv(time, 86400000), affiliate, intDiv(time, 3600000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate, intDiv(time, 3600000)),
  PROJECTION `by_offer_day` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id),
  PROJECTION `by_affiliate_day` (SELECT intDiv(time, 86400000), affiliate, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate),
  PROJECTION `by_affiliate` (SELECT intDiv(time, 86400000), affiliate, offer, advertiser, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate, offer, advertiser),
  PROJECTION `by_offer_country` (SELECT intDiv(time, 86400000), offer, advertiser, country, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, country),
  PROJECTION `by_origin` (SELECT intDiv(time, 86400000), origin, offer, affiliate, advertiser, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), origin, offer, affiliate, advertiser),
  PROJECTION `by_city` (SELECT intDiv(time, 86400000), country, city, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, city),
  PROJECTION `by_carrier` (SELECT intDiv(time, 86400000), country, isp, connection, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, isp, connection),
  PROJECTION `by_model` (SELECT intDiv(time, 86400000), device, os, device_model, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), device, os, device_model),
  PROJECTION `by_version` (SELECT intDiv(time, 86400000), os, os_version, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), os, os_version),
  PROJECTION `by_browser` (SELECT intDiv(time, 86400000), browser, browser_version, device, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), browser, browser_version, device),
  PROJECTION `by_reason_step` (SELECT intDiv(time, 86400000), reason, intDiv(time, 900000), count() GROUP BY intDiv(time, 86400000), reason, intDiv(time, 900000))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (intDiv(time, 86400000), affiliate, offer, time, id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, lightweight_mutation_projection_mode = 'rebuild', replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `click` ON CLUSTER `yard` AS `click_local`
ENGINE = Distributed('yard', currentDatabase(), 'click_local', sipHash64(id));

CREATE TABLE IF NOT EXISTS `view_local` ON CLUSTER `yard` (
  `journal` LowCardinality(String) CODEC(ZSTD(1)),
  `position` Int64 CODEC(Delta, ZSTD(1)),
  `time` Int64 CODEC(Delta, ZSTD(1)),
  `id` String CODEC(ZSTD(1)),
  `reason` LowCardinality(String) CODEC(ZSTD(1)),
  `detail` LowCardinality(String) CODEC(ZSTD(1)),
  `offer` Int64 CODEC(ZSTD(1)),
  `affiliate` Int64 CODEC(ZSTD(1)),
  `advertiser` LowCardinality(String) CODEC(ZSTD(1)),
  `landing` Int64 CODEC(ZSTD(1)),
  `smart_id` LowCardinality(String) CODEC(ZSTD(1)),
  `uniq` UInt8 CODEC(ZSTD(1)),
  `ip` String CODEC(ZSTD(1)),
  `country` LowCardinality(String) CODEC(ZSTD(1)),
  `region` LowCardinality(String) CODEC(ZSTD(1)),
  `city_id` Int64 CODEC(ZSTD(1)),
  `city` LowCardinality(String) CODEC(ZSTD(1)),
  `isp` LowCardinality(String) CODEC(ZSTD(1)),
  `connection` LowCardinality(String) CODEC(ZSTD(1)),
  `ua` String CODEC(ZSTD(1)),
  `os` LowCardinality(String) CODEC(ZSTD(1)),
  `os_version` LowCardinality(String) CODEC(ZSTD(1)),
  `device` LowCardinality(String) CODEC(ZSTD(1)),
  `brand` LowCardinality(String) CODEC(ZSTD(1)),
  `device_model` LowCardinality(String) CODEC(ZSTD(1)),
  `browser` LowCardinality(String) CODEC(ZSTD(1)),
  `browser_version` LowCardinality(String) CODEC(ZSTD(1)),
  `language` LowCardinality(String) CODEC(ZSTD(1)),
  `referrer` String CODEC(ZSTD(1)),
  `sub1` String CODEC(ZSTD(1)),
  `sub2` String CODEC(ZSTD(1)),
  `sub3` String CODEC(ZSTD(1)),
  `sub4` String CODEC(ZSTD(1)),
  `sub5` String CODEC(ZSTD(1)),
  `sub6` String CODEC(ZSTD(1)),
  `sub7` String CODEC(ZSTD(1)),
  `sub8` String CODEC(ZSTD(1)),
  `ref_id` String CODEC(ZSTD(1)),
  `os_id` String CODEC(ZSTD(1)),
  `user_id` String CODEC(ZSTD(1)),
  `ext1` String CODEC(ZSTD(1)),
  `ext2` String CODEC(ZSTD(1)),
  `ext3` String CODEC(ZSTD(1)),
  `fbclid` String CODEC(ZSTD(1)),
  `ios_idfa` String CODEC(ZSTD(1)),
  `android_id` String CODEC(ZSTD(1)),
  `bundle_id` String CODEC(ZSTD(1)),
  `flags` Int64 CODEC(ZSTD(1)),
  `prelanding` Int64 CODEC(ZSTD(1)),
  `ruleset` Int64 CODEC(ZSTD(1)),
  `target` Int64 CODEC(ZSTD(1)),
  `origin` Int64 CODEC(ZSTD(1)),
  `cost` Int64 CODEC(ZSTD(1)),
  `test` UInt8 CODEC(ZSTD(1)),
  `forgiven` Int64 CODEC(ZSTD(1)),
  `cost_sent` Int64 CODEC(ZSTD(1)),
  `cost_currency` LowCardinality(String) CODEC(ZSTD(1)),
  `consent` LowCardinality(String) CODEC(ZSTD(1)),
  `ip_hash` String CODEC(ZSTD(1)),
  `click_ids` String CODEC(ZSTD(1)),
  PROJECTION `by_step` (SELECT intDiv(time, 86400000), intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), intDiv(time, 900000)),
  PROJECTION `by_offer_step` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id, intDiv(time, 900000)),
  PROJECTION `by_country_step` (SELECT intDiv(time, 86400000), country, os, device, intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, os, device, intDiv(time, 900000)),
  PROJECTION `by_affiliate_hour` (SELECT intDiv(time, 86400000), affiliate, intDiv(time, 3600000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate, intDiv(time, 3600000)),
  PROJECTION `by_offer_day` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id),
  PROJECTION `by_affiliate_day` (SELECT intDiv(time, 86400000), affiliate, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate),
  PROJECTION `by_affiliate` (SELECT intDiv(time, 86400000), affiliate, offer, advertiser, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate, offer, advertiser),
  PROJECTION `by_offer_country` (SELECT intDiv(time, 86400000), offer, advertiser, country, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, country),
  PROJECTION `by_origin` (SELECT intDiv(time, 86400000), origin, offer, affiliate, advertiser, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), origin, offer, affiliate, advertiser),
  PROJECTION `by_city` (SELECT intDiv(time, 86400000), country, city, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, city),
  PROJECTION `by_carrier` (SELECT intDiv(time, 86400000), country, isp, connection, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, isp, connection),
  PROJECTION `by_model` (SELECT intDiv(time, 86400000), device, os, device_model, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), device, os, device_model),
  PROJECTION `by_version` (SELECT intDiv(time, 86400000), os, os_version, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), os, os_version),
  PROJECTION `by_browser` (SELECT intDiv(time, 86400000), browser, browser_version, device, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), browser, browser_version, device)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (intDiv(time, 86400000), affiliate, offer, time, id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, lightweight_mutation_projection_mode = 'rebuild', replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `view` ON CLUSTER `yard` AS `view_local`
ENGINE = Distributed('yard', currentDatabase(), 'view_local', sipHash64(id));

CREATE TABLE IF NOT EXISTS `click_lookup_local` ON CLUSTER `yard` (
  `id` FixedString(12) CODEC(ZSTD(1)),
  `record` String CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(reinterpretAsUInt32(reverse(substring(id, 1, 4))), 'UTC'))
ORDER BY (id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 128, max_compress_block_size = 16384, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `click_lookup` ON CLUSTER `yard` AS `click_lookup_local`
ENGINE = Distributed('yard', currentDatabase(), 'click_lookup_local', sipHash64(lower(hex(id))));

CREATE TABLE IF NOT EXISTS `fact_local` ON CLUSTER `yard` (
  `sign` Int8 CODEC(ZSTD(1)),
  `conversion_id` String CODEC(ZSTD(1)),
  `version` Int64 CODEC(ZSTD(1)),
  `time` Int64 CODEC(Delta, ZSTD(1)),
  `click_time` Int64 CODEC(Delta, ZSTD(1)),
  `click_id` String CODEC(ZSTD(1)),
  `status` UInt8 CODEC(ZSTD(1)),
  `goal` LowCardinality(String) CODEC(ZSTD(1)),
  `offer` Int64 CODEC(ZSTD(1)),
  `affiliate` Int64 CODEC(ZSTD(1)),
  `advertiser` LowCardinality(String) CODEC(ZSTD(1)),
  `landing` Int64 CODEC(ZSTD(1)),
  `smart_id` LowCardinality(String) CODEC(ZSTD(1)),
  `currency` LowCardinality(String) CODEC(ZSTD(1)),
  `payment_type` LowCardinality(String) CODEC(ZSTD(1)),
  `sum` Decimal(18, 4) CODEC(ZSTD(1)),
  `charge` Decimal(18, 4) CODEC(ZSTD(1)),
  `payout` Decimal(18, 4) CODEC(ZSTD(1)),
  `charge_base` Decimal(18, 4) CODEC(ZSTD(1)),
  `payout_base` Decimal(18, 4) CODEC(ZSTD(1)),
  `country` LowCardinality(String) CODEC(ZSTD(1)),
  `region` LowCardinality(String) CODEC(ZSTD(1)),
  `city_id` Int64 CODEC(ZSTD(1)),
  `city` LowCardinality(String) CODEC(ZSTD(1)),
  `isp` LowCardinality(String) CODEC(ZSTD(1)),
  `connection` LowCardinality(String) CODEC(ZSTD(1)),
  `os` LowCardinality(String) CODEC(ZSTD(1)),
  `os_version` LowCardinality(String) CODEC(ZSTD(1)),
  `device` LowCardinality(String) CODEC(ZSTD(1)),
  `brand` LowCardinality(String) CODEC(ZSTD(1)),
  `device_model` LowCardinality(String) CODEC(ZSTD(1)),
  `browser` LowCardinality(String) CODEC(ZSTD(1)),
  `browser_version` LowCardinality(String) CODEC(ZSTD(1)),
  `sub1` String CODEC(ZSTD(1)),
  `sub2` String CODEC(ZSTD(1)),
  `sub3` String CODEC(ZSTD(1)),
  `sub4` String CODEC(ZSTD(1)),
  `sub5` String CODEC(ZSTD(1)),
  `sub6` String CODEC(ZSTD(1)),
  `sub7` String CODEC(ZSTD(1)),
  `sub8` String CODEC(ZSTD(1)),
  `test` UInt8 CODEC(ZSTD(1)),
  `custom_field_1` String CODEC(ZSTD(1)),
  `custom_field_2` String CODEC(ZSTD(1)),
  `custom_field_3` String CODEC(ZSTD(1)),
  `custom_field_4` String CODEC(ZSTD(1)),
  `custom_field_5` String CODEC(ZSTD(1)),
  `custom_field_6` String CODEC(ZSTD(1)),
  `custom_field_7` String CODEC(ZSTD(1)),
  `custom_field_8` String CODEC(ZSTD(1)),
  `custom_field_9` String CODEC(ZSTD(1)),
  `custom_field_10` String CODEC(ZSTD(1)),
  `custom_field_11` String CODEC(ZSTD(1)),
  `custom_field_12` String CODEC(ZSTD(1)),
  `custom_field_13` String CODEC(ZSTD(1)),
  `custom_field_14` String CODEC(ZSTD(1)),
  `custom_field_15` String CODEC(ZSTD(1)),
  `prelanding` Int64 CODEC(ZSTD(1)),
  `origin` Int64 CODEC(ZSTD(1)),
  `goal_key` LowCardinality(String) CODEC(ZSTD(1)),
  `refund_id` String CODEC(ZSTD(1)),
  PROJECTION `by_click` (SELECT click_id, conversion_id, time, sign ORDER BY click_id),
  PROJECTION `by_goal_status_step` (SELECT intDiv(time, 86400000), goal, status, intDiv(time, 900000), sum(sign), sumIf(sign, payout = 0), sum(sign * charge_base), sum(sign * payout_base), sumIf(sign, substring(click_id, 9, 2) = 'ff'), sumIf(sign * payout_base, substring(click_id, 9, 2) = 'ff') GROUP BY intDiv(time, 86400000), goal, status, intDiv(time, 900000)),
  PROJECTION `by_offer_status_day` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, status, sum(sign), sumIf(sign, payout = 0), sum(sign * charge_base), sum(sign * payout_base), sumIf(sign, substring(click_id, 9, 2) = 'ff'), sumIf(sign * payout_base, substring(click_id, 9, 2) = 'ff') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id, status),
  PROJECTION `by_affiliate_status_day` (SELECT intDiv(time, 86400000), affiliate, status, sum(sign), sumIf(sign, payout = 0), sum(sign * charge_base), sum(sign * payout_base), sumIf(sign, substring(click_id, 9, 2) = 'ff'), sumIf(sign * payout_base, substring(click_id, 9, 2) = 'ff') GROUP BY intDiv(time, 86400000), affiliate, status),
  PROJECTION `by_country_status_day` (SELECT intDiv(time, 86400000), country, os, device, status, sum(sign), sumIf(sign, payout = 0), sum(sign * charge_base), sum(sign * payout_base), sumIf(sign, substring(click_id, 9, 2) = 'ff'), sumIf(sign * payout_base, substring(click_id, 9, 2) = 'ff') GROUP BY intDiv(time, 86400000), country, os, device, status)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (intDiv(time, 86400000), affiliate, offer, time, conversion_id, version, sign)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, lightweight_mutation_projection_mode = 'rebuild', replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `fact` ON CLUSTER `yard` AS `fact_local`
ENGINE = Distributed('yard', currentDatabase(), 'fact_local', sipHash64(click_id));

CREATE TABLE IF NOT EXISTS `server_log_local` ON CLUSTER `yard` (
  `id` String CODEC(ZSTD(1)),
  `revision` Int64 CODEC(ZSTD(1)),
  `time` Int64 CODEC(Delta, ZSTD(1)),
  `click_id` String CODEC(ZSTD(1)),
  `conversion_id` String CODEC(ZSTD(1)),
  `offer` Int64 CODEC(ZSTD(1)),
  `affiliate` Int64 CODEC(ZSTD(1)),
  `advertiser` LowCardinality(String) CODEC(ZSTD(1)),
  `goal` LowCardinality(String) CODEC(ZSTD(1)),
  `action_id` String CODEC(ZSTD(1)),
  `status` UInt8 CODEC(ZSTD(1)),
  `method` LowCardinality(String) CODEC(ZSTD(1)),
  `ip` String CODEC(ZSTD(1)),
  `ua` String CODEC(ZSTD(1)),
  `query` String CODEC(ZSTD(1)),
  `body` String CODEC(ZSTD(1)),
  `response` LowCardinality(String) CODEC(ZSTD(1)),
  `journal` LowCardinality(String) CODEC(ZSTD(1)),
  `position` Int64 CODEC(Delta, ZSTD(1)),
  `forgiven` Int64 CODEC(ZSTD(1)),
  `refund_id` String CODEC(ZSTD(1)),
  INDEX `by_click_id` click_id TYPE bloom_filter(0.001) GRANULARITY 1,
  INDEX `by_action_id` action_id TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (intDiv(time, 86400000), time, id, revision)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `server_log` ON CLUSTER `yard` AS `server_log_local`
ENGINE = Distributed('yard', currentDatabase(), 'server_log_local', sipHash64(id));

CREATE TABLE IF NOT EXISTS `affiliate_log_local` ON CLUSTER `yard` (
  `id` String CODEC(ZSTD(1)),
  `time` Int64 CODEC(Delta, ZSTD(1)),
  `job_id` String CODEC(ZSTD(1)),
  `conversion_id` String CODEC(ZSTD(1)),
  `postback_id` Int64 CODEC(ZSTD(1)),
  `offer` Int64 CODEC(ZSTD(1)),
  `affiliate` Int64 CODEC(ZSTD(1)),
  `advertiser` LowCardinality(String) CODEC(ZSTD(1)),
  `goal` LowCardinality(String) CODEC(ZSTD(1)),
  `status` UInt8 CODEC(ZSTD(1)),
  `http_code` Int64 CODEC(ZSTD(1)),
  `url` String CODEC(ZSTD(1)),
  `attempt` Int64 CODEC(ZSTD(1)),
  `outcome` LowCardinality(String) CODEC(ZSTD(1)),
  `error` LowCardinality(String) CODEC(ZSTD(1)),
  `forced` UInt8 CODEC(ZSTD(1)),
  `version` Int64 CODEC(ZSTD(1)),
  `started_at` Int64 CODEC(ZSTD(1)),
  `milliseconds` Int64 CODEC(ZSTD(1)),
  `answer` String CODEC(ZSTD(1)),
  INDEX `by_conversion_id` conversion_id TYPE bloom_filter(0.001) GRANULARITY 1
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (intDiv(time, 86400000), time, id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `affiliate_log` ON CLUSTER `yard` AS `affiliate_log_local`
ENGINE = Distributed('yard', currentDatabase(), 'affiliate_log_local', sipHash64(id));

INSERT INTO schema_step (number, program) VALUES (1, 'VERSION'), (2, 'VERSION'), (3, 'VERSION'), (4, 'VERSION'), (5, 'VERSION'), (6, 'VERSION'), (7, 'VERSION'), (8, 'VERSION'), (9, 'VERSION'), (10, 'VERSION'), (11, 'VERSION'), (12, 'VERSION'), (13, 'VERSION');

DROP TABLE IF EXISTS `click_beside` ON CLUSTER `yard` SYNC;

DROP TABLE IF EXISTS `click_beside_local` ON CLUSTER `yard` SYNC;

DROP TABLE IF EXISTS `view_beside` ON CLUSTER `yard` SYNC;

DROP TABLE IF EXISTS `view_beside_local` ON CLUSTER `yard` SYNC;

DROP TABLE IF EXISTS `click_lookup_beside` ON CLUSTER `yard` SYNC;

DROP TABLE IF EXISTS `click_lookup_beside_local` ON CLUSTER `yard` SYNC;

DROP TABLE IF EXISTS `fact_beside` ON CLUSTER `yard` SYNC;

DROP TABLE IF EXISTS `fact_beside_local` ON CLUSTER `yard` SYNC;

DROP TABLE IF EXISTS `fact_later` ON CLUSTER `yard` SYNC;

DROP TABLE IF EXISTS `fact_later_local` ON CLUSTER `yard` SYNC;

CREATE TABLE IF NOT EXISTS `click_beside_local` ON CLUSTER `yard` (
  `journal` LowCardinality(String) CODEC(ZSTD(1)),
  `position` Int64 CODEC(Delta, ZSTD(1)),
  `time` Int64 CODEC(Delta, ZSTD(1)),
  `id` String CODEC(ZSTD(1)),
  `reason` LowCardinality(String) CODEC(ZSTD(1)),
  `detail` LowCardinality(String) CODEC(ZSTD(1)),
  `offer` Int64 CODEC(ZSTD(1)),
  `affiliate` Int64 CODEC(ZSTD(1)),
  `advertiser` LowCardinality(String) CODEC(ZSTD(1)),
  `landing` Int64 CODEC(ZSTD(1)),
  `smart_id` LowCardinality(String) CODEC(ZSTD(1)),
  `uniq` UInt8 CODEC(ZSTD(1)),
  `ip` String CODEC(ZSTD(1)),
  `country` LowCardinality(String) CODEC(ZSTD(1)),
  `region` LowCardinality(String) CODEC(ZSTD(1)),
  `city_id` Int64 CODEC(ZSTD(1)),
  `city` LowCardinality(String) CODEC(ZSTD(1)),
  `isp` LowCardinality(String) CODEC(ZSTD(1)),
  `connection` LowCardinality(String) CODEC(ZSTD(1)),
  `ua` String CODEC(ZSTD(1)),
  `os` LowCardinality(String) CODEC(ZSTD(1)),
  `os_version` LowCardinality(String) CODEC(ZSTD(1)),
  `device` LowCardinality(String) CODEC(ZSTD(1)),
  `brand` LowCardinality(String) CODEC(ZSTD(1)),
  `device_model` LowCardinality(String) CODEC(ZSTD(1)),
  `browser` LowCardinality(String) CODEC(ZSTD(1)),
  `browser_version` LowCardinality(String) CODEC(ZSTD(1)),
  `language` LowCardinality(String) CODEC(ZSTD(1)),
  `referrer` String CODEC(ZSTD(1)),
  `sub1` String CODEC(ZSTD(1)),
  `sub2` String CODEC(ZSTD(1)),
  `sub3` String CODEC(ZSTD(1)),
  `sub4` String CODEC(ZSTD(1)),
  `sub5` String CODEC(ZSTD(1)),
  `sub6` String CODEC(ZSTD(1)),
  `sub7` String CODEC(ZSTD(1)),
  `sub8` String CODEC(ZSTD(1)),
  `ref_id` String CODEC(ZSTD(1)),
  `os_id` String CODEC(ZSTD(1)),
  `user_id` String CODEC(ZSTD(1)),
  `ext1` String CODEC(ZSTD(1)),
  `ext2` String CODEC(ZSTD(1)),
  `ext3` String CODEC(ZSTD(1)),
  `fbclid` String CODEC(ZSTD(1)),
  `ios_idfa` String CODEC(ZSTD(1)),
  `android_id` String CODEC(ZSTD(1)),
  `bundle_id` String CODEC(ZSTD(1)),
  `flags` Int64 CODEC(ZSTD(1)),
  `prelanding` Int64 CODEC(ZSTD(1)),
  `ruleset` Int64 CODEC(ZSTD(1)),
  `target` Int64 CODEC(ZSTD(1)),
  `origin` Int64 CODEC(ZSTD(1)),
  `cost` Int64 CODEC(ZSTD(1)),
  `test` UInt8 CODEC(ZSTD(1)),
  `forgiven` Int64 CODEC(ZSTD(1)),
  `cost_sent` Int64 CODEC(ZSTD(1)),
  `cost_currency` LowCardinality(String) CODEC(ZSTD(1)),
  `consent` LowCardinality(String) CODEC(ZSTD(1)),
  `ip_hash` String CODEC(ZSTD(1)),
  `click_ids` String CODEC(ZSTD(1)),
  PROJECTION `by_step` (SELECT intDiv(time, 86400000), intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), intDiv(time, 900000)),
  PROJECTION `by_offer_step` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id, intDiv(time, 900000)),
  PROJECTION `by_country_step` (SELECT intDiv(time, 86400000), country, os, device, intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, os, device, intDiv(time, 900000)),
  PROJECTION `by_affiliate_hour` (SELECT intDiv(time, 86400000), affiliate, intDiv(time, 3600000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate, intDiv(time, 3600000)),
  PROJECTION `by_offer_day` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id),
  PROJECTION `by_affiliate_day` (SELECT intDiv(time, 86400000), affiliate, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate),
  PROJECTION `by_affiliate` (SELECT intDiv(time, 86400000), affiliate, offer, advertiser, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate, offer, advertiser),
  PROJECTION `by_offer_country` (SELECT intDiv(time, 86400000), offer, advertiser, country, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, country),
  PROJECTION `by_origin` (SELECT intDiv(time, 86400000), origin, offer, affiliate, advertiser, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), origin, offer, affiliate, advertiser),
  PROJECTION `by_city` (SELECT intDiv(time, 86400000), country, city, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, city),
  PROJECTION `by_carrier` (SELECT intDiv(time, 86400000), country, isp, connection, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, isp, connection),
  PROJECTION `by_model` (SELECT intDiv(time, 86400000), device, os, device_model, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), device, os, device_model),
  PROJECTION `by_version` (SELECT intDiv(time, 86400000), os, os_version, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), os, os_version),
  PROJECTION `by_browser` (SELECT intDiv(time, 86400000), browser, browser_version, device, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), browser, browser_version, device),
  PROJECTION `by_reason_step` (SELECT intDiv(time, 86400000), reason, intDiv(time, 900000), count() GROUP BY intDiv(time, 86400000), reason, intDiv(time, 900000))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (intDiv(time, 86400000), affiliate, offer, time, id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, lightweight_mutation_projection_mode = 'rebuild', replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `click_beside` ON CLUSTER `yard` AS `click_beside_local`
ENGINE = Distributed('yard', currentDatabase(), 'click_beside_local', sipHash64(id));

CREATE TABLE IF NOT EXISTS `view_beside_local` ON CLUSTER `yard` (
  `journal` LowCardinality(String) CODEC(ZSTD(1)),
  `position` Int64 CODEC(Delta, ZSTD(1)),
  `time` Int64 CODEC(Delta, ZSTD(1)),
  `id` String CODEC(ZSTD(1)),
  `reason` LowCardinality(String) CODEC(ZSTD(1)),
  `detail` LowCardinality(String) CODEC(ZSTD(1)),
  `offer` Int64 CODEC(ZSTD(1)),
  `affiliate` Int64 CODEC(ZSTD(1)),
  `advertiser` LowCardinality(String) CODEC(ZSTD(1)),
  `landing` Int64 CODEC(ZSTD(1)),
  `smart_id` LowCardinality(String) CODEC(ZSTD(1)),
  `uniq` UInt8 CODEC(ZSTD(1)),
  `ip` String CODEC(ZSTD(1)),
  `country` LowCardinality(String) CODEC(ZSTD(1)),
  `region` LowCardinality(String) CODEC(ZSTD(1)),
  `city_id` Int64 CODEC(ZSTD(1)),
  `city` LowCardinality(String) CODEC(ZSTD(1)),
  `isp` LowCardinality(String) CODEC(ZSTD(1)),
  `connection` LowCardinality(String) CODEC(ZSTD(1)),
  `ua` String CODEC(ZSTD(1)),
  `os` LowCardinality(String) CODEC(ZSTD(1)),
  `os_version` LowCardinality(String) CODEC(ZSTD(1)),
  `device` LowCardinality(String) CODEC(ZSTD(1)),
  `brand` LowCardinality(String) CODEC(ZSTD(1)),
  `device_model` LowCardinality(String) CODEC(ZSTD(1)),
  `browser` LowCardinality(String) CODEC(ZSTD(1)),
  `browser_version` LowCardinality(String) CODEC(ZSTD(1)),
  `language` LowCardinality(String) CODEC(ZSTD(1)),
  `referrer` String CODEC(ZSTD(1)),
  `sub1` String CODEC(ZSTD(1)),
  `sub2` String CODEC(ZSTD(1)),
  `sub3` String CODEC(ZSTD(1)),
  `sub4` String CODEC(ZSTD(1)),
  `sub5` String CODEC(ZSTD(1)),
  `sub6` String CODEC(ZSTD(1)),
  `sub7` String CODEC(ZSTD(1)),
  `sub8` String CODEC(ZSTD(1)),
  `ref_id` String CODEC(ZSTD(1)),
  `os_id` String CODEC(ZSTD(1)),
  `user_id` String CODEC(ZSTD(1)),
  `ext1` String CODEC(ZSTD(1)),
  `ext2` String CODEC(ZSTD(1)),
  `ext3` String CODEC(ZSTD(1)),
  `fbclid` String CODEC(ZSTD(1)),
  `ios_idfa` String CODEC(ZSTD(1)),
  `android_id` String CODEC(ZSTD(1)),
  `bundle_id` String CODEC(ZSTD(1)),
  `flags` Int64 CODEC(ZSTD(1)),
  `prelanding` Int64 CODEC(ZSTD(1)),
  `ruleset` Int64 CODEC(ZSTD(1)),
  `target` Int64 CODEC(ZSTD(1)),
  `origin` Int64 CODEC(ZSTD(1)),
  `cost` Int64 CODEC(ZSTD(1)),
  `test` UInt8 CODEC(ZSTD(1)),
  `forgiven` Int64 CODEC(ZSTD(1)),
  `cost_sent` Int64 CODEC(ZSTD(1)),
  `cost_currency` LowCardinality(String) CODEC(ZSTD(1)),
  `consent` LowCardinality(String) CODEC(ZSTD(1)),
  `ip_hash` String CODEC(ZSTD(1)),
  `click_ids` String CODEC(ZSTD(1)),
  PROJECTION `by_step` (SELECT intDiv(time, 86400000), intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), intDiv(time, 900000)),
  PROJECTION `by_offer_step` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id, intDiv(time, 900000)),
  PROJECTION `by_country_step` (SELECT intDiv(time, 86400000), country, os, device, intDiv(time, 900000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, os, device, intDiv(time, 900000)),
  PROJECTION `by_affiliate_hour` (SELECT intDiv(time, 86400000), affiliate, intDiv(time, 3600000), countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate, intDiv(time, 3600000)),
  PROJECTION `by_offer_day` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id),
  PROJECTION `by_affiliate_day` (SELECT intDiv(time, 86400000), affiliate, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate),
  PROJECTION `by_affiliate` (SELECT intDiv(time, 86400000), affiliate, offer, advertiser, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), affiliate, offer, advertiser),
  PROJECTION `by_offer_country` (SELECT intDiv(time, 86400000), offer, advertiser, country, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), offer, advertiser, country),
  PROJECTION `by_origin` (SELECT intDiv(time, 86400000), origin, offer, affiliate, advertiser, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), origin, offer, affiliate, advertiser),
  PROJECTION `by_city` (SELECT intDiv(time, 86400000), country, city, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, city),
  PROJECTION `by_carrier` (SELECT intDiv(time, 86400000), country, isp, connection, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), country, isp, connection),
  PROJECTION `by_model` (SELECT intDiv(time, 86400000), device, os, device_model, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), device, os, device_model),
  PROJECTION `by_version` (SELECT intDiv(time, 86400000), os, os_version, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), os, os_version),
  PROJECTION `by_browser` (SELECT intDiv(time, 86400000), browser, browser_version, device, countIf(reason = ''), sumIf(uniq, reason = '') GROUP BY intDiv(time, 86400000), browser, browser_version, device)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (intDiv(time, 86400000), affiliate, offer, time, id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, lightweight_mutation_projection_mode = 'rebuild', replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `view_beside` ON CLUSTER `yard` AS `view_beside_local`
ENGINE = Distributed('yard', currentDatabase(), 'view_beside_local', sipHash64(id));

CREATE TABLE IF NOT EXISTS `click_lookup_beside_local` ON CLUSTER `yard` (
  `id` FixedString(12) CODEC(ZSTD(1)),
  `record` String CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(reinterpretAsUInt32(reverse(substring(id, 1, 4))), 'UTC'))
ORDER BY (id)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, index_granularity = 128, max_compress_block_size = 16384, replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `click_lookup_beside` ON CLUSTER `yard` AS `click_lookup_beside_local`
ENGINE = Distributed('yard', currentDatabase(), 'click_lookup_beside_local', sipHash64(lower(hex(id))));

CREATE TABLE IF NOT EXISTS `fact_beside_local` ON CLUSTER `yard` (
  `sign` Int8 CODEC(ZSTD(1)),
  `conversion_id` String CODEC(ZSTD(1)),
  `version` Int64 CODEC(ZSTD(1)),
  `time` Int64 CODEC(Delta, ZSTD(1)),
  `click_time` Int64 CODEC(Delta, ZSTD(1)),
  `click_id` String CODEC(ZSTD(1)),
  `status` UInt8 CODEC(ZSTD(1)),
  `goal` LowCardinality(String) CODEC(ZSTD(1)),
  `offer` Int64 CODEC(ZSTD(1)),
  `affiliate` Int64 CODEC(ZSTD(1)),
  `advertiser` LowCardinality(String) CODEC(ZSTD(1)),
  `landing` Int64 CODEC(ZSTD(1)),
  `smart_id` LowCardinality(String) CODEC(ZSTD(1)),
  `currency` LowCardinality(String) CODEC(ZSTD(1)),
  `payment_type` LowCardinality(String) CODEC(ZSTD(1)),
  `sum` Decimal(18, 4) CODEC(ZSTD(1)),
  `charge` Decimal(18, 4) CODEC(ZSTD(1)),
  `payout` Decimal(18, 4) CODEC(ZSTD(1)),
  `charge_base` Decimal(18, 4) CODEC(ZSTD(1)),
  `payout_base` Decimal(18, 4) CODEC(ZSTD(1)),
  `country` LowCardinality(String) CODEC(ZSTD(1)),
  `region` LowCardinality(String) CODEC(ZSTD(1)),
  `city_id` Int64 CODEC(ZSTD(1)),
  `city` LowCardinality(String) CODEC(ZSTD(1)),
  `isp` LowCardinality(String) CODEC(ZSTD(1)),
  `connection` LowCardinality(String) CODEC(ZSTD(1)),
  `os` LowCardinality(String) CODEC(ZSTD(1)),
  `os_version` LowCardinality(String) CODEC(ZSTD(1)),
  `device` LowCardinality(String) CODEC(ZSTD(1)),
  `brand` LowCardinality(String) CODEC(ZSTD(1)),
  `device_model` LowCardinality(String) CODEC(ZSTD(1)),
  `browser` LowCardinality(String) CODEC(ZSTD(1)),
  `browser_version` LowCardinality(String) CODEC(ZSTD(1)),
  `sub1` String CODEC(ZSTD(1)),
  `sub2` String CODEC(ZSTD(1)),
  `sub3` String CODEC(ZSTD(1)),
  `sub4` String CODEC(ZSTD(1)),
  `sub5` String CODEC(ZSTD(1)),
  `sub6` String CODEC(ZSTD(1)),
  `sub7` String CODEC(ZSTD(1)),
  `sub8` String CODEC(ZSTD(1)),
  `test` UInt8 CODEC(ZSTD(1)),
  `custom_field_1` String CODEC(ZSTD(1)),
  `custom_field_2` String CODEC(ZSTD(1)),
  `custom_field_3` String CODEC(ZSTD(1)),
  `custom_field_4` String CODEC(ZSTD(1)),
  `custom_field_5` String CODEC(ZSTD(1)),
  `custom_field_6` String CODEC(ZSTD(1)),
  `custom_field_7` String CODEC(ZSTD(1)),
  `custom_field_8` String CODEC(ZSTD(1)),
  `custom_field_9` String CODEC(ZSTD(1)),
  `custom_field_10` String CODEC(ZSTD(1)),
  `custom_field_11` String CODEC(ZSTD(1)),
  `custom_field_12` String CODEC(ZSTD(1)),
  `custom_field_13` String CODEC(ZSTD(1)),
  `custom_field_14` String CODEC(ZSTD(1)),
  `custom_field_15` String CODEC(ZSTD(1)),
  `prelanding` Int64 CODEC(ZSTD(1)),
  `origin` Int64 CODEC(ZSTD(1)),
  `goal_key` LowCardinality(String) CODEC(ZSTD(1)),
  `refund_id` String CODEC(ZSTD(1)),
  PROJECTION `by_click` (SELECT click_id, conversion_id, time, sign ORDER BY click_id),
  PROJECTION `by_goal_status_step` (SELECT intDiv(time, 86400000), goal, status, intDiv(time, 900000), sum(sign), sumIf(sign, payout = 0), sum(sign * charge_base), sum(sign * payout_base), sumIf(sign, substring(click_id, 9, 2) = 'ff'), sumIf(sign * payout_base, substring(click_id, 9, 2) = 'ff') GROUP BY intDiv(time, 86400000), goal, status, intDiv(time, 900000)),
  PROJECTION `by_offer_status_day` (SELECT intDiv(time, 86400000), offer, advertiser, smart_id, status, sum(sign), sumIf(sign, payout = 0), sum(sign * charge_base), sum(sign * payout_base), sumIf(sign, substring(click_id, 9, 2) = 'ff'), sumIf(sign * payout_base, substring(click_id, 9, 2) = 'ff') GROUP BY intDiv(time, 86400000), offer, advertiser, smart_id, status),
  PROJECTION `by_affiliate_status_day` (SELECT intDiv(time, 86400000), affiliate, status, sum(sign), sumIf(sign, payout = 0), sum(sign * charge_base), sum(sign * payout_base), sumIf(sign, substring(click_id, 9, 2) = 'ff'), sumIf(sign * payout_base, substring(click_id, 9, 2) = 'ff') GROUP BY intDiv(time, 86400000), affiliate, status),
  PROJECTION `by_country_status_day` (SELECT intDiv(time, 86400000), country, os, device, status, sum(sign), sumIf(sign, payout = 0), sum(sign * charge_base), sum(sign * payout_base), sumIf(sign, substring(click_id, 9, 2) = 'ff'), sumIf(sign * payout_base, substring(click_id, 9, 2) = 'ff') GROUP BY intDiv(time, 86400000), country, os, device, status)
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (intDiv(time, 86400000), affiliate, offer, time, conversion_id, version, sign)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, lightweight_mutation_projection_mode = 'rebuild', replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `fact_beside` ON CLUSTER `yard` AS `fact_beside_local`
ENGINE = Distributed('yard', currentDatabase(), 'fact_beside_local', sipHash64(click_id));

CREATE TABLE IF NOT EXISTS `fact_later_local` ON CLUSTER `yard` (
  `sign` Int8 CODEC(ZSTD(1)),
  `conversion_id` String CODEC(ZSTD(1)),
  `version` Int64 CODEC(ZSTD(1)),
  `time` Int64 CODEC(Delta, ZSTD(1)),
  `click_time` Int64 CODEC(Delta, ZSTD(1)),
  `click_id` String CODEC(ZSTD(1)),
  `status` UInt8 CODEC(ZSTD(1)),
  `goal` LowCardinality(String) CODEC(ZSTD(1)),
  `offer` Int64 CODEC(ZSTD(1)),
  `affiliate` Int64 CODEC(ZSTD(1)),
  `advertiser` LowCardinality(String) CODEC(ZSTD(1)),
  `landing` Int64 CODEC(ZSTD(1)),
  `smart_id` LowCardinality(String) CODEC(ZSTD(1)),
  `currency` LowCardinality(String) CODEC(ZSTD(1)),
  `payment_type` LowCardinality(String) CODEC(ZSTD(1)),
  `sum` Decimal(18, 4) CODEC(ZSTD(1)),
  `charge` Decimal(18, 4) CODEC(ZSTD(1)),
  `payout` Decimal(18, 4) CODEC(ZSTD(1)),
  `charge_base` Decimal(18, 4) CODEC(ZSTD(1)),
  `payout_base` Decimal(18, 4) CODEC(ZSTD(1)),
  `country` LowCardinality(String) CODEC(ZSTD(1)),
  `region` LowCardinality(String) CODEC(ZSTD(1)),
  `city_id` Int64 CODEC(ZSTD(1)),
  `city` LowCardinality(String) CODEC(ZSTD(1)),
  `isp` LowCardinality(String) CODEC(ZSTD(1)),
  `connection` LowCardinality(String) CODEC(ZSTD(1)),
  `os` LowCardinality(String) CODEC(ZSTD(1)),
  `os_version` LowCardinality(String) CODEC(ZSTD(1)),
  `device` LowCardinality(String) CODEC(ZSTD(1)),
  `brand` LowCardinality(String) CODEC(ZSTD(1)),
  `device_model` LowCardinality(String) CODEC(ZSTD(1)),
  `browser` LowCardinality(String) CODEC(ZSTD(1)),
  `browser_version` LowCardinality(String) CODEC(ZSTD(1)),
  `sub1` String CODEC(ZSTD(1)),
  `sub2` String CODEC(ZSTD(1)),
  `sub3` String CODEC(ZSTD(1)),
  `sub4` String CODEC(ZSTD(1)),
  `sub5` String CODEC(ZSTD(1)),
  `sub6` String CODEC(ZSTD(1)),
  `sub7` String CODEC(ZSTD(1)),
  `sub8` String CODEC(ZSTD(1)),
  `test` UInt8 CODEC(ZSTD(1)),
  `custom_field_1` String CODEC(ZSTD(1)),
  `custom_field_2` String CODEC(ZSTD(1)),
  `custom_field_3` String CODEC(ZSTD(1)),
  `custom_field_4` String CODEC(ZSTD(1)),
  `custom_field_5` String CODEC(ZSTD(1)),
  `custom_field_6` String CODEC(ZSTD(1)),
  `custom_field_7` String CODEC(ZSTD(1)),
  `custom_field_8` String CODEC(ZSTD(1)),
  `custom_field_9` String CODEC(ZSTD(1)),
  `custom_field_10` String CODEC(ZSTD(1)),
  `custom_field_11` String CODEC(ZSTD(1)),
  `custom_field_12` String CODEC(ZSTD(1)),
  `custom_field_13` String CODEC(ZSTD(1)),
  `custom_field_14` String CODEC(ZSTD(1)),
  `custom_field_15` String CODEC(ZSTD(1)),
  `prelanding` Int64 CODEC(ZSTD(1)),
  `origin` Int64 CODEC(ZSTD(1)),
  `goal_key` LowCardinality(String) CODEC(ZSTD(1)),
  `refund_id` String CODEC(ZSTD(1))
)
ENGINE = ReplicatedMergeTree('/clickhouse/tables/{uuid}/{shard}', '{replica}')
PARTITION BY toYYYYMM(toDateTime(intDiv(time, 1000), 'UTC'))
ORDER BY (intDiv(time, 86400000), affiliate, offer, time, conversion_id, version, sign)
SETTINGS non_replicated_deduplication_window = 10000, fsync_after_insert = 1, fsync_part_directory = 1, lightweight_mutation_projection_mode = 'rebuild', replicated_deduplication_window = 10000, replicated_deduplication_window_seconds = 604800;

CREATE TABLE IF NOT EXISTS `fact_later` ON CLUSTER `yard` AS `fact_later_local`
ENGINE = Distributed('yard', currentDatabase(), 'fact_later_local', sipHash64(click_id));

EXCHANGE TABLES `click_local` AND `click_beside_local` ON CLUSTER `yard`;

EXCHANGE TABLES `view_local` AND `view_beside_local` ON CLUSTER `yard`;

EXCHANGE TABLES `click_lookup_local` AND `click_lookup_beside_local` ON CLUSTER `yard`;

EXCHANGE TABLES `fact_local` AND `fact_beside_local` ON CLUSTER `yard`;
