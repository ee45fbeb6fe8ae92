import type { ErrorType } from '@farebox/protocol/errors/error-types'
import { InternalError, serviceError } from '@farebox/protocol/errors/service-errors'
import type { HireBudget, Hired, Spent } from '../handlers.ts'
import { HireError, type HireFailure } from './hire-error.ts'
import type { HireRequest, JobHiring } from './job-hiring.ts'
import type { JobSpending } from './job-spending.ts'

/** A question of a handler process to the agent, which alone has the keys for spending and hiring. */
export type AgentQuestion =
  | { readonly kind: 'allowance' }
  /** The parts of the order that a message can carry; the agent checks them. */
  | { readonly kind: 'spend'; readonly order: unknown }
  | { readonly kind: 'budget' }
  /** A {@link HireRequest} as JSON. */
  | { readonly kind: 'hire'; readonly request: string }

/** The agent's answer to an {@link AgentQuestion}. */
export type AgentAnswer =
  | { readonly kind: 'allowance'; readonly amount: string }
  | { readonly kind: 'spend'; readonly spent: Spent }
  | { readonly kind: 'budget'; readonly budget: HireBudget }
  | { readonly kind: 'hire'; readonly hired: Hired }
  | {
      readonly kind: 'refused'
      readonly errorType: ErrorType
      readonly message: string
      /** Set for a {@link HireError}. */
      readonly hire?: HireFailure
    }

/** Spending and hiring for a handler in a separate process: each call asks the agent, which has the keys. */
export interface AskedAgent {
  readonly spending: Pick<JobSpending, 'allowance' | 'spend'>
  readonly hiring: Pick<JobHiring, 'hire' | 'budget'>
  take(ask: number, answer: AgentAnswer): void
}

/** Larger than any valid request, because the size of a job's input is limited when it is accepted. */
const MAX_REQUEST_CHARACTERS = 2_097_152

/** Makes an {@link AskedAgent} for one run. The questions are numbered in the order of the calls. */
export function askAgent(
  send: (asked: { readonly ask: number; readonly question: AgentQuestion }) => void,
): AskedAgent {
  const waiting = new Map<number, (answer: AgentAnswer) => void>()
  let asks = 0
  const ask = async <Kind extends AgentQuestion['kind']>(
    question: Extract<AgentQuestion, { kind: Kind }>,
  ): Promise<Extract<AgentAnswer, { kind: Kind }>> => {
    asks += 1
    const number = asks
    const answer = await new Promise<AgentAnswer>(resolve => {
      waiting.set(number, resolve)
      send({ ask: number, question })
    })
    if (answer.kind === 'refused')
      throw answer.hire === undefined
        ? serviceError(answer.errorType, answer.message)
        : new HireError(answer.message, answer.hire)
    if (answer.kind !== question.kind)
      throw new InternalError('the agent gave another answer than was asked for')
    // The check above guarantees that the answer has the kind of the question.
    return answer as Extract<AgentAnswer, { kind: Kind }>
  }
  return {
    spending: {
      allowance: async () => (await ask<'allowance'>({ kind: 'allowance' })).amount,
      spend: async order => (await ask<'spend'>({ kind: 'spend', order: sendable(order) })).spent,
    },
    hiring: {
      budget: async () => (await ask<'budget'>({ kind: 'budget' })).budget,
      hire: async request => (await ask<'hire'>({ kind: 'hire', request: write(request) })).hired,
    },
    take(number, answer) {
      waiting.get(number)?.(answer)
      waiting.delete(number)
    },
  }
}

/** The fields of a spend order, with values that a message can carry. */
function sendable(order: unknown): unknown {
  if (typeof order !== 'object' || order === null) return undefined
  const { token, amount, to } = order as { readonly [key: string]: unknown }
  return { token: plain(token), amount: plain(amount), to: plain(to) }
}

function plain(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}

function write(request: HireRequest): string {
  const refuse = (reason: string): never => {
    const agent = String(request.agent).slice(0, 200)
    const failure = { problem: 'arguments', agent, charged: 'no', childErrorType: undefined } as const
    throw new HireError(`ctx.hire: ${reason}`, failure)
  }
  try {
    const text = JSON.stringify(request)
    return text.length <= MAX_REQUEST_CHARACTERS ? text : refuse('the input is too large')
  } catch (error) {
    if (error instanceof HireError) throw error
    return refuse('the input cannot be written as JSON')
  }
}
