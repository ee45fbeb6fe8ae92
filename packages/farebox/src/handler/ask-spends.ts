import type { ErrorType } from '@farebox/protocol/errors/error-types'
import { InternalError, serviceError } from '@farebox/protocol/errors/service-errors'
import type { Spent } from '../handlers.ts'
import type { JobSpending } from './job-spending.ts'

/** What a handler asks of the agent, which alone has the key that spends. */
export type SpendQuestion =
  | { readonly kind: 'allowance' }
  /** What of the order can be sent; it is checked where it is taken. */
  | { readonly kind: 'spend'; readonly order: unknown }

/** What it is told; its calls are numbered within a run. */
export type SpendAnswer =
  | { readonly kind: 'allowance'; readonly amount: string }
  | { readonly kind: 'spend'; readonly spent: Spent }
  | { readonly kind: 'refused'; readonly errorType: ErrorType; readonly message: string }

/** What a handler in a process of its own spends with: it asks the agent, which has the key. */
export interface AskedSpends extends Pick<JobSpending, 'allowance' | 'spend'> {
  take(ask: number, answer: SpendAnswer): void
}

/** Makes it for one run. The calls are numbered in the order in which they are made. */
export function askSpends(
  send: (asked: { readonly ask: number; readonly question: SpendQuestion }) => void,
): AskedSpends {
  const waiting = new Map<number, (answer: SpendAnswer) => void>()
  let asks = 0
  const ask = async (question: SpendQuestion): Promise<SpendAnswer> => {
    asks += 1
    const number = asks
    const answer = await new Promise<SpendAnswer>(resolve => {
      waiting.set(number, resolve)
      send({ ask: number, question })
    })
    if (answer.kind === 'refused') throw serviceError(answer.errorType, answer.message)
    return answer
  }
  return {
    async allowance(): Promise<string> {
      const answer = await ask({ kind: 'allowance' })
      if (answer.kind === 'allowance') return answer.amount
      throw new InternalError('the agent gave another answer than was asked for')
    },
    async spend(order): Promise<Spent> {
      const answer = await ask({ kind: 'spend', order: sendable(order) })
      if (answer.kind === 'spend') return answer.spent
      throw new InternalError('the agent gave another answer than was asked for')
    },
    take(number, answer) {
      waiting.get(number)?.(answer)
      waiting.delete(number)
    },
  }
}

/** The fields that count, where they are values that a message can carry. */
function sendable(order: unknown): unknown {
  if (typeof order !== 'object' || order === null) return undefined
  const { token, amount, to } = order as { readonly [key: string]: unknown }
  return { token: plain(token), amount: plain(amount), to: plain(to) }
}

function plain(value: unknown): unknown {
  return typeof value === 'string' || typeof value === 'number' ? value : undefined
}
