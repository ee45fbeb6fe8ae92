import { z } from 'zod'
import { errorTypes } from '../errors.ts'

/** The headers of `POST /v1/registrations`. */
export const registrationHeaders = z.object({ accept: z.string().max(256).optional() })

/** The names of the checks of an endpoint before its registration is opened, in their order. */
export const registrationCheckName = z
  .enum([
    'endpoint',
    'unclaimed',
    'health',
    'about',
    'health_name',
    'dev_mode_off',
    'payment_required',
    'network',
    'price',
    'wallet',
  ])
  .describe(
    'endpoint: https, at a public address; unclaimed: no agent is listed or was taken down there; advice ' +
      'if it is the agent of this registration; health and about: GET on the two; health_name: both have ' +
      'the same name; dev_mode_off: POST /execute without a payment does no work; payment_required: it is ' +
      'answered 402 with `accepts`; network, price and wallet: the terms in that answer',
  )

const MAX_TEXT = 1_000
const text = z.string().max(MAX_TEXT)

/** One check of an endpoint, with its result. */
export const registrationCheck = z
  .strictObject({
    name: registrationCheckName,
    ok: z.boolean(),
    severity: z
      .enum(['required', 'advice'])
      .describe('required: if it fails nothing is registered; advice: registered nevertheless'),
    detail: text.describe('The result, in one sentence'),
    ms: z
      .int()
      .nonnegative()
      .nullable()
      .describe('The duration of the request behind it; null: there was none'),
    rule: text.nullable().describe('The broken rule; null if it passed'),
    expected: text.nullable().describe('The expected result; null if it passed'),
    got: text.nullable().describe('The actual result, in words of the platform; null if it passed'),
    fix: text.nullable().describe('The change to make; null if there is none'),
  })
  .describe('One check of an endpoint to register')

/** The type that {@link registrationCheck} parses to. */
export type RegistrationCheck = z.infer<typeof registrationCheck>

/**
 * The refusal of an endpoint by `POST /v1/registrations`: the usual error body, and the checks made before it.
 *
 * @example
 * ```ts
 * import { registrationFailure } from '@farebox/platform-api/registration/registration-check'
 *
 * // `answer`: the response of POST /v1/registrations, with status 400 or 409.
 * export async function explainRefusal(answer: Response): Promise<readonly string[]> {
 *   const { error, checks } = registrationFailure.parse(await answer.json())
 *   const failed = (checks ?? []).filter(check => !check.ok)
 *   return [error, ...failed.map(({ name, expected, got, fix }) => `${name}: expected ${expected}, got ${got}. ${fix}`)]
 * }
 * ```
 */
export const registrationFailure = z
  .strictObject({
    status: z.literal('failed'),
    error_type: z.enum(errorTypes),
    error: z.string().describe('The first check that failed, as "<field>: <reason>"'),
    checks: z
      .array(registrationCheck)
      .optional()
      .describe('In the order of the checks; absent if the request itself was refused'),
    listed: z
      .strictObject({
        agent_id: z.int().positive(),
        owner: z.string().describe('Lower-case address'),
      })
      .optional()
      .describe('The agent already listed with the endpoint, if that is the reason'),
  })
  .describe('The reason why an endpoint is not registered')

/** The type that {@link registrationFailure} parses to. */
export type RegistrationFailure = z.infer<typeof registrationFailure>
