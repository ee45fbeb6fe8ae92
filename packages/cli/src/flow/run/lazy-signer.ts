import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { PayingKey } from '../../keys/paying-key.ts'
import type { RunScreen } from './run-screen.ts'

/** A signer that unlocks its wallet for the first signature. */
export interface LazySigner extends PaymentSigner {
  unlock(): Promise<void>
}

/** Creates a signer from the key of a wallet: when nothing is signed, no password is requested. */
export function lazySigner(key: PayingKey, screen: RunScreen): LazySigner {
  let unlocked: Promise<PaymentSigner> | undefined
  const signer = (): Promise<PaymentSigner> => (unlocked ??= screen.aside(() => key.unlock()))
  return {
    address: key.address,
    signTypedData: async typedData => await (await signer()).signTypedData(typedData),
    async unlock() {
      await signer()
    },
  }
}
