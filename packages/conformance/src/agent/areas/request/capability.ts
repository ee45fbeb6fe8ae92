import { NEEDS, type Check } from '../../check/check.ts'
import { expectCompleted, expectFailure, expectThat } from '../../exchange/expectations.ts'
import { knock, markedBody } from './knock.ts'
import { expectUnknownCapability, UNKNOWN_CAPABILITIES } from '../price/unpaid.ts'

/** The selection of a job's capability (interface, Processing 3; D21). */
export const CAPABILITY_CHECKS: readonly Check[] = [
  ...UNKNOWN_CAPABILITIES.map((capability): Check => ({
    id: `capability/unknown ${JSON.stringify(capability)}`,
    rules: ['interface Processing 3', 'D21', 'VAL-02'],
    title: `The capability ${JSON.stringify(capability)} is unknown, and the message lists those there are`,
    fix: 'Answer 400 capability: Unknown capability "<x>". Available: a, b',
    needs: NEEDS.nothing,
    async run(context) {
      const body = { ...(await markedBody(context)), task: { capability, input: {} } }
      await expectUnknownCapability(context, await knock(context, { body: JSON.stringify(body) }), capability)
    },
  })),
  {
    id: 'capability/long-name',
    rules: ['VAL-02', 'D21'],
    title: 'A capability name of 100 KB is answered briefly',
    fix: 'Cut what is repeated of a request to a readable length.',
    needs: NEEDS.nothing,
    async run(context) {
      const body = { ...(await markedBody(context)), task: { capability: 'x'.repeat(100_000), input: {} } }
      const message = expectFailure(await knock(context, { body: JSON.stringify(body) }), 400, 'capability')
      expectThat(message.length < 20_000, 'a message of a readable length', `${message.length} characters`)
    },
  },
  {
    id: 'capability/default',
    rules: ['interface Job request'],
    title: 'Without a name the first declared capability runs',
    fix: 'Default task.capability to the first declared key.',
    needs: NEEDS.deliveredJob,
    run: async context => void expectCompleted((await context.delivered()).reply),
  },
]
