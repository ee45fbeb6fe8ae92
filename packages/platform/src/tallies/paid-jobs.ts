/** SQL about `jobs`: delivered and paid for by somebody, as the chain proves. Written as the indexes have it. */
export const IS_PAID = `kind = 'caller' and state = 'completed' and not charged_without_delivery and
  transaction is not null`

/** The minute in which a job became paid and delivered, as a timestamp of UTC. */
export const PAID_MINUTE = `date_trunc('minute', finished_at at time zone 'UTC')`

/** SHA-256 of the lower-case job_id, as bytes. */
export const PAID_HASH = 'sha256(job_id::text::bytea)'
