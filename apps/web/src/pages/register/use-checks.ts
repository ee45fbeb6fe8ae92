import type { Registration } from '@farebox/platform-api/registry'
import type {
  RegistrationCheck,
  RegistrationFailure,
} from '@farebox/platform-api/registration/registration-check'
import { useCallback, useEffect, useRef, useState } from 'react'
import { readEvents } from '../../orders/read-events.ts'
import { answers } from '../../site/answers.ts'
import { ApiFailure, type Ask } from '../../site/ask.ts'
import { useSite } from '../../site/site.ts'

/** How the checks of an endpoint stand. */
export interface CheckState {
  readonly step: 'idle' | 'asking' | 'passed' | 'refused' | 'unknown'
  /** In the order in which they ended. */
  readonly checks: readonly RegistrationCheck[]
  /** When they ended; Unix seconds. */
  readonly at: number | undefined
  readonly tookMs: number | undefined
  /** The platform's own sentence, where the endpoint is refused. */
  readonly refusal: string | undefined
  /** The agent that is there already, where that is why. */
  readonly listed: RegistrationFailure['listed']
  /** What kept the platform from answering at all. */
  readonly failure: unknown
}

const LONGEST_MS = 30_000

/** Has the platform look at endpoints, one at a time, and tells of each check as it ends. */
export function useChecks(
  first: Registration | undefined,
  tell: (registration: Registration) => void,
): CheckState & { readonly check: (endpoint: string) => void } {
  const { ask } = useSite()
  const [state, setState] = useState<CheckState>(() => (first === undefined ? IDLE : stateOf(first)))
  const current = useRef<AbortController>(undefined)
  useEffect(() => () => current.current?.abort(new Error('the page was left')), [])

  const check = useCallback(
    (endpoint: string): void => {
      current.current?.abort(new Error('another endpoint was asked for'))
      const controller = new AbortController()
      current.current = controller
      const startedMs = performance.now()
      const change = (changed: Partial<CheckState>): void => {
        if (!controller.signal.aborted) setState(before => ({ ...before, ...changed }))
      }
      change({ ...IDLE, step: 'asking' })
      const signal = AbortSignal.any([controller.signal, AbortSignal.timeout(LONGEST_MS)])
      lookAt(ask, endpoint, signal, one => {
        if (!controller.signal.aborted) setState(before => ({ ...before, checks: [...before.checks, one] }))
      }).then(
        looked => {
          if (controller.signal.aborted) return
          const ended = { at: Date.now() / 1_000, tookMs: performance.now() - startedMs }
          const { registration } = looked
          if (registration !== undefined) {
            change({ ...ended, step: 'passed', checks: registration.checks })
            tell(registration)
          } else {
            const { refusal, listed, checks } = looked
            change({ ...ended, step: 'refused', refusal, listed, ...(checks !== undefined && { checks }) })
          }
        },
        (error: unknown) => change({ step: 'unknown', failure: error }),
      )
    },
    [ask, tell],
  )
  return { ...state, check }
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

function stateOf({ checks, examined_at: at }: Registration): CheckState {
  return { ...IDLE, step: 'passed', checks, at }
}

type Looked =
  | { readonly registration: Registration }
  | {
      readonly registration?: never
      readonly refusal: string
      readonly listed: RegistrationFailure['listed']
      readonly checks: readonly RegistrationCheck[] | undefined
    }

async function lookAt(
  ask: Ask,
  endpoint: string,
  signal: AbortSignal,
  tell: (check: RegistrationCheck) => void,
): Promise<Looked> {
  const body = { endpoint }
  try {
    const options = { method: 'POST', body, headers: {}, lastId: undefined, signal } as const
    for await (const { type, data } of readEvents('/v1/registrations', options)) {
      if (type === 'check') tell(JSON.parse(data) as RegistrationCheck)
      else if (type === 'registration') return { registration: JSON.parse(data) as Registration }
      else if (type === 'failure') {
        const { error: refusal, listed, checks } = JSON.parse(data) as RegistrationFailure
        return { refusal, listed, checks }
      }
    }
  } catch {
    signal.throwIfAborted()
  }
  // No stream came, or it broke off: the same question, answered whole. It changes nothing to ask twice.
  try {
    return {
      registration: await ask('/v1/registrations', answers.registration, { method: 'POST', body, signal }),
    }
  } catch (error) {
    if (!(error instanceof ApiFailure) || (error.status !== 400 && error.status !== 409)) throw error
    return { refusal: error.message, listed: undefined, checks: undefined }
  }
}
