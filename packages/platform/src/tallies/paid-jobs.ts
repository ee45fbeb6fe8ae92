/**
 * SQL on `jobs`: the job was delivered and paid by a caller, and the payment is on the chain. It is written exactly as
 * in the indexes.
 */
export const IS_PAID = `kind = 'caller' and state = 'completed' and not charged_without_delivery and
  transaction is not null`

/** The minute in which a job became paid and delivered, as a timestamp in UTC. */
export const PAID_MINUTE = `date_trunc('minute', finished_at at time zone 'UTC')`

/** SHA-256 of the lower-case job_id, as bytes. */
export const PAID_HASH = 'sha256(job_id::text::bytea)'
