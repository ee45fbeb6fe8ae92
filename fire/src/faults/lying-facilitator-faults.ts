import { randomBytes } from 'node:crypto'
import { first, type ScriptedFault } from './scripted-fault.ts'
import type { Crossing } from './wire.ts'
import { afterDelivery, BAD_GATEWAY, HTML, type Act } from './wire-acts.ts'

function lie(
  name: string,
  ends: ScriptedFault['ends'],
  deliver: 'settles' | 'sends nothing',
  tell: (crossing: Crossing) => object,
): ScriptedFault {
  const act: Act = async crossing => {
    if (deliver === 'settles') await crossing.deliver()
    crossing.answer(200, JSON.stringify(tell(crossing)))
  }
  return { name, at: 'liar', ends, fault: () => first(1, '/settle', act) }
}

const success = (transaction: string, rest: object = {}): object => ({
  success: true,
  transaction,
  network: 'eip155:84532',
  ...rest,
})
const failure = (errorReason: string): object => ({
  success: false,
  errorReason,
  transaction: '',
  network: 'eip155:84532',
})
const anyHash = (): string => `0x${randomBytes(32).toString('hex')}`

/** A facilitator whose word is worth nothing; the agent has a node of its own. */
export const lyingFacilitatorFaults: readonly ScriptedFault[] = [
  lie('says settled, names a transaction that is none, sends nothing', 'delivered', 'sends nothing', () =>
    success(anyHash()),
  ),
  lie('says settled without a transaction, sends nothing', 'delivered', 'sends nothing', () => success('')),
  lie('settles, and names a transaction that is none', 'delivered', 'settles', () => success(anyHash())),
  lie('settles, and names another payer and network', 'delivered', 'settles', () =>
    success(anyHash(), { payer: `0x${'99'.repeat(20)}`, network: 'eip155:1' }),
  ),
  lie('settles, and says that the balance was too small', 'delivered', 'settles', () =>
    failure('insufficient_funds'),
  ),
  lie('settles, and says that the nonce was used', 'delivered', 'settles', () =>
    failure('invalid_exact_evm_nonce_already_used'),
  ),
  lie('settles, and says that the transaction failed', 'delivered', 'settles', () =>
    failure('invalid_exact_evm_transaction_failed'),
  ),
  lie('settles, and says that the signature is bad', 'delivered', 'settles', () =>
    failure('invalid_exact_evm_signature'),
  ),
  lie('sends nothing, and says that the balance was too small', 'either', 'sends nothing', () =>
    failure('insufficient_funds'),
  ),
  {
    name: 'settles, then 502',
    at: 'liar',
    ends: 'delivered',
    fault: () =>
      first(
        1,
        '/settle',
        afterDelivery(crossing => crossing.answer(502, BAD_GATEWAY, HTML)),
      ),
  },
  {
    name: 'settles, then reset',
    at: 'liar',
    ends: 'delivered',
    fault: () =>
      first(
        1,
        '/settle',
        afterDelivery(crossing => crossing.reset()),
      ),
  },
  {
    name: 'says valid of everything',
    at: 'liar',
    ends: 'delivered',
    fault: () => first(1, '/verify', crossing => crossing.answer(200, '{"isValid":true}')),
  },
]
