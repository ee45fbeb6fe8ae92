import { expect, test } from 'vitest'
import { WalletProblem } from '../wallet/wallet.ts'
import { explainStop } from './explain-stop.ts'

const NOTHING = 'Nothing was sent and nothing was charged.'

test.each([
  ['the agent did not answer', `The agent did not answer. ${NOTHING}`],
  ['Is it there?', `Is it there? ${NOTHING}`],
  // The name of a field is not changed.
  ['input.text: must be a string', `input.text: must be a string. ${NOTHING}`],
])('%j becomes sentences', (message, sentence) => {
  expect(explainStop(new Error(message))).toEqual({ sentence, tone: 'refused' })
})

test('what the wallet has declined is no refusal of the platform', () => {
  expect(explainStop(new WalletProblem('declined', 'You declined.')).tone).toBe('warn')
  expect(explainStop('nothing').sentence).toBe(`The action could not be completed. ${NOTHING}`)
})
