/**
 * Every number of the interface and of its decisions, written once, the unit in the name.
 * The comment names the source.
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

/** Of any body, request or answer: each piece costs time, however short it is. */
export const MAX_BODY_PIECES = 65_536
/** Larger bodies share a room in memory, and take turns in the event loop. */
export const LARGE_BODY_BYTES = 65_536

/** D39: the whole 200 of `POST /execute`, UTF-8, nested at most {@link MAX_BODY_DEPTH} deep. Every reader takes it. */
export const MAX_RESPONSE_BYTES = 5 * 1_048_576

/** D39: an answer of the platform that has an agent's in it. */
export const MAX_WRAPPED_RESPONSE_BYTES = MAX_RESPONSE_BYTES + 65_536

/** D18: strangers' patterns run on the platform and in browsers too. */
export const MAX_PATTERN_CHARACTERS = 256

/** D18: of one `input_schema` or `output_schema`, nested fields included; more than any form or canvas can show. */
export const MAX_SCHEMA_FIELDS = 1_000

/** D18: how deep `items` and `properties` may go; a value's depth of 64 leaves room for what is inside. */
export const MAX_FIELD_DEPTH = 16

/** D18: names are repeated in messages, nested ones up to 16 times. */
export const MAX_FIELD_NAME_CHARACTERS = 256

/** D42: array items and object properties of one input or output. */
export const MAX_VALUES = 1_000_000

/**
 * D42: what the check of one whole input, one whole output, and one whole declaration may cost, in steps: 0.1 to 5 ns,
 * up to 100 ns for patterns made to be slow. Counted, not timed, so that agent, platform and browser give the same verdict.
 * Outputs may have five times the bytes of inputs (D39).
 *
 * A pattern takes a step for each character of the text and each instruction of the pattern: with 40 instructions, as
 * for a UUID, an input may hold 5,400 of them.
 */
export const MAX_INPUT_CHECK_STEPS = 8_000_000
export const MAX_OUTPUT_CHECK_STEPS = 20_000_000
export const MAX_DECLARATION_CHECK_STEPS = 8_000_000

/** D42: steps for a declared field or an array item that is checked, whatever is in it. */
export const CHECK_STEPS_PER_VALUE = 4

/**
 * D42: instructions that all patterns of one declaration compile to, 1 to 3 µs each. A plain pattern has about as many
 * as characters; `x{1,200}` has 400.
 */
export const MAX_DECLARATION_PATTERN_INSTRUCTIONS = 100_000

/** D42: what a pattern counts beside its instructions, because compiling a small one takes time too. */
export const PATTERN_BASE_INSTRUCTIONS = 50

/** D42: problems of one declaration that are reported; the guess at what was meant costs more than the check. */
export const MAX_DECLARATION_PROBLEMS = 100

/** D28: the declaration. */
export const MAX_AGENT_NAME_CHARACTERS = 64
export const MAX_DESCRIPTION_CHARACTERS = 1_024
export const MAX_MAX_DEADLINE_SECONDS = 3_600

/** D16: a `deadline` at or above this is milliseconds by mistake. */
export const MILLISECONDS_LOOK_FROM = 1e11

/** D24: how long a settled response is kept for repeats of its job_id. */
export const RESPONSE_KEPT_SECONDS = 600

/**
 * D40: how old a charge may be, by block time, to have its job run again where its record was lost. A little less than
 * records are kept, so that one that was forgotten in its time never counts as lost.
 */
export const CHARGE_COUNTS_SECONDS = RESPONSE_KEPT_SECONDS - 10

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

/** D32: how long a stop takes at most, from SIGTERM to the end: less than the usual 30 s until SIGKILL. */
export const SHUTDOWN_GRACE_SECONDS = 25

/** D4: EIP-3009 times are below this, so that they stay exact and far dates are refused. */
export const MAX_AUTHORIZATION_TIME = 2n ** 47n

/** D3: clients echo what we send, and servers accept 16 KB of headers. */
export const MAX_PAYMENT_REQUIRED_HEADER_BYTES = 5_000

/** Of any payment header: larger than any envelope of ours or of stock clients, and less than all headers may have. */
export const MAX_PAYMENT_HEADER_CHARACTERS = 12_000

/** Names and values of one request's headers: what Node counts before it refuses with 431. */
export const MAX_HEADER_SECTION_BYTES = 16_384

/** D1: decimals of USDC on every chain we list. */
export const USDC_DECIMALS = 6
