import { decodeHeader, type PaymentResponse } from '@farebox/payments/x402/payment-header'
import type { Answered } from '../rounds/drive.ts'
import { TEXT } from './sign-jobs.ts'

/** Throws unless every answer of a round is as expected. */
export type CheckAnswers = (answers: readonly Answered[]) => void

/**
 * Every answer is a 200 with the right output and a receipt, and the handler ran once for each: its run numbers
 * continue those of the previous round.
 */
export function createJobsCheck(): CheckAnswers {
  let runsBefore = 0
  return answers => {
    const runs = new Set<number>()
    for (const answer of answers) {
      if (answer.status !== 200) throw wrong('was to be done', answer)
      const { output } = JSON.parse(answer.body) as {
        readonly output: { readonly text: string; readonly run: number }
      }
      if (output.text !== TEXT) throw wrong('was to give the text back', answer)
      if (!receiptOf(answer).success) throw wrong('was to be charged', answer)
      runs.add(output.run)
    }
    if (runs.size !== answers.length || Math.max(...runs) !== runsBefore + answers.length) {
      throw new Error(
        `${answers.length} answers are not ${answers.length} runs of the handler, ${runsBefore} went before`,
      )
    }
    runsBefore += answers.length
  }
}

function receiptOf({ headers }: Answered): Partial<PaymentResponse> {
  const header = headers['payment-response']
  return typeof header === 'string' ? (decodeHeader(header) as PaymentResponse) : {}
}

function wrong(expected: string, { status, headers, body }: Answered): Error {
  const receipt = headers['payment-response']
  const told = typeof receipt === 'string' ? ` ${JSON.stringify(decodeHeader(receipt))}` : ''
  return new Error(`a request ${expected}, but was answered HTTP ${status} ${body.slice(0, 300)}${told}`)
}
