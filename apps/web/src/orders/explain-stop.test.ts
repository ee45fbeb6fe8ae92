import { expect, test } from 'vitest'
import { WalletProblem } from '../wallet/wallet.ts'
import { explainStop } from './explain-stop.ts'

const NOTHING = 'Nothing was sent and nothing was charged.'

test.each([
  ['the agent did not answer', `The agent did not answer. ${NOTHING}`],
  ['Is it there?', `Is it there? ${NOTHING}`],
  // The name of a field is not capitalized.
  ['input.text: must be a string', `input.text: must be a string. ${NOTHING}`],
])('%j is turned into sentences', (message, sentence) => {
  expect(explainStop(new Error(message))).toEqual({ sentence, tone: 'refused' })
})

test('a request declined in the wallet is not shown as a refusal by the platform', () => {
  expect(explainStop(new WalletProblem('declined', 'You declined.')).tone).toBe('warn')
  expect(explainStop('nothing').sentence).toBe(`The action could not be completed. ${NOTHING}`)
})
