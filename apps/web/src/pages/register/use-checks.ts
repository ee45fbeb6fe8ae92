import type { Registration } from '@farebox/platform-api/registry'
import type {
  RegistrationCheck,
  RegistrationFailure,
} from '@farebox/platform-api/registration/registration-check'
import { useState } from 'react'
import { readEvents } from '../../orders/read-events.ts'
import { answers } from '../../site/answers.ts'
import { ApiFailure, takeAnswer, type Ask } from '../../site/ask.ts'
import { useRead } from '../../site/question.ts'
import { useSite } from '../../site/site.ts'

/** The state of the checks of an endpoint. */
export interface CheckState {
  readonly step: 'idle' | 'asking' | 'passed' | 'refused' | 'unknown'
  /** In the order in which they completed. */
  readonly checks: readonly RegistrationCheck[]
  /** When they completed, in Unix seconds. */
  readonly at: number | undefined
  readonly tookMs: number | undefined
  /** The platform's own message when the endpoint is refused. */
  readonly refusal: string | undefined
  /** The agent already listed with the endpoint, if that is the reason for the refusal. */
  readonly listed: RegistrationFailure['listed']
  /** Why the platform did not answer. */
  readonly failure: unknown
}

const LONGEST_MS = 30_000

/** Has the platform check endpoints, one at a time, and reports each check as it completes. */
export function useChecks(
  first: Registration | undefined,
  passed: (registration: Registration) => void,
): CheckState & { readonly check: (endpoint: string) => void } {
  const { ask } = useSite()
  const [asked, setAsked] = useState<{ readonly endpoint: string; readonly times: number }>()
  const { answer, failure } = useRead<CheckState>(
    asked && `${asked.times} ${asked.endpoint}`,
    async (left, give) => {
      if (asked === undefined) return undefined
      const startedMs = performance.now()
      const signal = AbortSignal.any([left, AbortSignal.timeout(LONGEST_MS)])
      let state: CheckState = ASKING
      const result = await checkEndpoint(ask, asked.endpoint, signal, one => {
        state = { ...state, checks: [...state.checks, one] }
        give(state)
      })
      left.throwIfAborted()
      const ended = { ...state, at: Date.now() / 1_000, tookMs: performance.now() - startedMs }
      const { registration } = result
      if (registration !== undefined) {
        passed(registration)
        return { ...ended, step: 'passed', checks: registration.checks }
      }
      const { refusal, listed, checks = state.checks } = result
      return { ...ended, step: 'refused', refusal, listed, checks }
    },
    { ...(first !== undefined && { first: stateOf(first) }) },
  )
  const known = answer ?? (asked === undefined ? IDLE : ASKING)
  const check = (endpoint: string): void =>
    setAsked(before => ({ endpoint, times: (before?.times ?? 0) + 1 }))
  return { ...known, ...(failure !== undefined && { step: 'unknown', failure }), check }
}

const IDLE: CheckState = {
  step: 'idle',
  checks: [],
  at: undefined,
  tookMs: undefined,
  refusal: undefined,
  listed: undefined,
  failure: undefined,
}

const ASKING: CheckState = { ...IDLE, step: 'asking' }

function stateOf({ checks, examined_at: at }: Registration): CheckState {
  return { ...IDLE, step: 'passed', checks, at }
}

type CheckedEndpoint =
  | { readonly registration: Registration }
  | {
      readonly registration?: never
      readonly refusal: string
      readonly listed: RegistrationFailure['listed']
      readonly checks: readonly RegistrationCheck[] | undefined
    }

async function checkEndpoint(
  ask: Ask,
  endpoint: string,
  signal: AbortSignal,
  report: (check: RegistrationCheck) => void,
): Promise<CheckedEndpoint> {
  const body = { endpoint }
  try {
    const options = { method: 'POST', body, headers: {}, lastId: undefined, signal } as const
    for await (const { type, data } of readEvents('/v1/registrations', options)) {
      if (type === 'check') report(await takeAnswer(answers.registrationCheck, JSON.parse(data)))
      else if (type === 'registration')
        return { registration: await takeAnswer(answers.registration, JSON.parse(data)) }
      else if (type === 'failure') {
        const failed = await takeAnswer(answers.registrationFailure, JSON.parse(data))
        return { refusal: failed.error, listed: failed.listed, checks: failed.checks }
      }
    }
  } catch {
    signal.throwIfAborted()
  }
  // There was no stream, or it was interrupted. The request is repeated without a stream; it is idempotent.
  try {
    return {
      registration: await ask('/v1/registrations', answers.registration, { method: 'POST', body, signal }),
    }
  } catch (error) {
    if (!(error instanceof ApiFailure) || (error.status !== 400 && error.status !== 409)) throw error
    return { refusal: error.message, listed: undefined, checks: undefined }
  }
}
