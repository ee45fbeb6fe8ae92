import { AgentUnreachable } from '@farebox/client/exchange/agent-errors'
import { expect, test } from 'vitest'
import { explainUnpaid } from './explain-unpaid.ts'

test('an agent on this machine that accepts and does not answer is not reported as stopped', () => {
  const late = new AgentUnreachable('no answer within 10 s')
  expect(explainUnpaid(late, 'http://127.0.0.1:3000')).toMatchObject({
    next: 'it accepts connections and does not answer: a handler may block its process',
  })
  const refused = new AgentUnreachable('the connection failed', { cause: new Error('ECONNREFUSED') })
  expect(explainUnpaid(refused, 'http://127.0.0.1:3000')).toMatchObject({
    next: 'is it running? farebox dev starts it',
  })
  // On other systems a firewall may drop packets to a closed port.
  expect(explainUnpaid(late, 'https://agent.example')).toMatchObject({ next: expect.stringContaining('URL') })
})
