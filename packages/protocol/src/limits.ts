/**
 * Every number of the interface and of its decisions, defined once, with the unit in its name. The comment cites the source.
 *
 * @example
 * ```ts
 * import { MAX_BODY_BYTES } from '@farebox/protocol/limits'
 *
 * export function fits(body: string): boolean {
 *   return new TextEncoder().encode(body).length <= MAX_BODY_BYTES
 * }
 * ```
 */

/** D15: the body of `POST /execute`. */
export const MAX_BODY_BYTES = 1_048_576
export const MAX_BODY_DEPTH = 64

/** Limit for any request or response body: each chunk takes time, however short it is. */
export const MAX_BODY_PIECES = 65_536
/** Bodies above this size share a memory limit, and are processed in turns of the event loop. */
export const LARGE_BODY_BYTES = 65_536

/** D39: the whole 200 of `POST /execute`, UTF-8, nested at most {@link MAX_BODY_DEPTH} deep. Every client accepts it. */
export const MAX_RESPONSE_BYTES = 5 * 1_048_576

/** D39: a response of the platform that contains an agent's response. */
export const MAX_WRAPPED_RESPONSE_BYTES = MAX_RESPONSE_BYTES + 65_536

/** D18: patterns of third parties also run on the platform and in browsers. */
export const MAX_PATTERN_CHARACTERS = 256

/** D18: fields of one `input_schema` or `output_schema`, nested ones included; more than any form or canvas can show. */
export const MAX_SCHEMA_FIELDS = 1_000

/**
 * D18: the deepest nesting of `items` and `properties`; values may be nested 64 deep, which leaves room for their contents.
 */
export const MAX_FIELD_DEPTH = 16

/** D18: names are repeated in messages, nested ones up to 16 times. */
export const MAX_FIELD_NAME_CHARACTERS = 256

/** D42: array items and object properties of one input or output. */
export const MAX_VALUES = 1_000_000

/**
 * D42: the steps for checking one whole input, one whole output, and one whole declaration. A step takes 0.1 to 5 ns, up to
 * 100 ns for patterns made to be slow. Steps are counted instead of time, so that agent, platform and browser reach the same
 * verdict. Outputs may have five times the bytes of inputs (D39).
 *
 * A pattern takes one step for each character of the text and each instruction of the pattern: with 40 instructions, as for
 * a UUID, an input may contain 5,400 of them.
 */
export const MAX_INPUT_CHECK_STEPS = 8_000_000
export const MAX_OUTPUT_CHECK_STEPS = 20_000_000
export const MAX_DECLARATION_CHECK_STEPS = 8_000_000

/** D42: steps for checking a declared field or an array item, whatever it contains. */
export const CHECK_STEPS_PER_VALUE = 4

/**
 * D42: instructions of all compiled patterns of one declaration, 1 to 3 µs each. A plain pattern has about as many as
 * characters; `x{1,200}` has 400.
 */
export const MAX_DECLARATION_PATTERN_INSTRUCTIONS = 100_000

/** D42: added for each pattern, because compiling a small one takes time too. */
export const PATTERN_BASE_INSTRUCTIONS = 50

/** D42: reported problems of one declaration; guessing the intended key costs more than the check. */
export const MAX_DECLARATION_PROBLEMS = 100

/** D28: the declaration. */
export const MAX_AGENT_NAME_CHARACTERS = 64
export const MAX_DESCRIPTION_CHARACTERS = 1_024
export const MAX_MAX_DEADLINE_SECONDS = 3_600

/** D16: a `deadline` at or above this was given in milliseconds by mistake. */
export const MILLISECONDS_LOOK_FROM = 1e11

/** D24: how long a settled response is kept for repeats of its job_id. */
export const RESPONSE_KEPT_SECONDS = 600

/**
 * D40: the maximum age of a charge, by block time, whose job is run again after its record was lost. Slightly less than
 * records are kept, so that a record that was deleted on schedule never counts as lost.
 */
export const CHARGE_COUNTS_SECONDS = RESPONSE_KEPT_SECONDS - 10

/** D3: `maxTimeoutSeconds` is the larger of the floor and max_deadline_seconds plus the margin. */
export const MIN_MAX_TIMEOUT_SECONDS = 60
export const MAX_TIMEOUT_MARGIN_SECONDS = 30

/** D5: an authorization must be valid for this much longer than the work takes, and end within a day. */
export const SETTLE_MARGIN_SECONDS = 10
export const MAX_AUTHORIZATION_SECONDS = 86_400

/** D6: how long a payment stays claimed after its expiry. */
export const PAYMENT_CLAIM_MARGIN_SECONDS = 900

/** D6: a claim is a lease of this length, renewed while its holder lives. */
export const CLAIM_LEASE_SECONDS = 10

/** D17: the longest delay of `setTimeout`; longer timers fire at once. */
export const MAX_TIMER_MS = 2 ** 31 - 1

/** D32: the longest time of a shutdown, from SIGTERM to the exit: less than the usual 30 s until SIGKILL. */
export const SHUTDOWN_GRACE_SECONDS = 25

/** D4: EIP-3009 times must be below this, so that they stay exact and far dates are refused. */
export const MAX_AUTHORIZATION_TIME = 2n ** 47n

/** D3: clients echo the header, and servers accept 16 KB of headers. */
export const MAX_PAYMENT_REQUIRED_HEADER_BYTES = 5_000

/**
 * For any payment header: larger than all envelopes of Farebox or stock clients, and below the limit for all headers
 * together.
 */
export const MAX_PAYMENT_HEADER_CHARACTERS = 12_000

/** Names and values of one request's headers, as Node counts them before it responds with 431. */
export const MAX_HEADER_SECTION_BYTES = 16_384

/** D1: decimals of USDC on every supported chain. */
export const USDC_DECIMALS = 6
