/**
 * Every number of the interface and of its decisions, written once, the unit in the name.
 * The comment names the source.
 */

/** D15: the body of `POST /execute`. */
export const MAX_BODY_BYTES = 1_048_576
export const MAX_BODY_DEPTH = 64

/** D18: strangers' patterns run on the platform and in browsers too. */
export const MAX_PATTERN_CHARACTERS = 256

/** D28: the declaration. */
export const MAX_AGENT_NAME_CHARACTERS = 64
export const MAX_DESCRIPTION_CHARACTERS = 1_024
export const MAX_MAX_DEADLINE_SECONDS = 3_600

/** D16: a `deadline` at or above this is milliseconds by mistake. */
export const MILLISECONDS_LOOK_FROM = 1e11

/** D24: how long a settled response is kept for repeats of its job_id. */
export const RESPONSE_KEPT_SECONDS = 600

/** D3: `maxTimeoutSeconds` is the larger of the floor and max_deadline_seconds plus the margin. */
export const MIN_MAX_TIMEOUT_SECONDS = 60
export const MAX_TIMEOUT_MARGIN_SECONDS = 30

/** D5: an authorization must outlive the work by this much, and end within a day. */
export const SETTLE_MARGIN_SECONDS = 10
export const MAX_AUTHORIZATION_SECONDS = 86_400

/** D6: how long a payment stays claimed after it has expired. */
export const PAYMENT_CLAIM_MARGIN_SECONDS = 900

/** D6: a claim is a lease of this length, renewed while its holder lives. */
export const CLAIM_LEASE_SECONDS = 10

/** D17: the largest delay `setTimeout` keeps; beyond it timers fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** D32: how long jobs in flight may take to finish after SIGTERM. */
export const SHUTDOWN_GRACE_SECONDS = 30

/** D4: EIP-3009 times are below this, so that they stay exact and far dates are refused. */
export const MAX_AUTHORIZATION_TIME = 2n ** 47n

/** D3: clients echo what we send, and servers accept 16 KB of headers. */
export const MAX_PAYMENT_REQUIRED_HEADER_BYTES = 5_000

/** D1: decimals of USDC on every chain we list. */
export const USDC_DECIMALS = 6
