import type { PaymentSigner } from '@farebox/payments/x402/sign-payment'
import type { PayingKey } from '../../keys/paying-key.ts'
import type { RunScreen } from './run-screen.ts'

/** A signer whose wallet is unlocked when it is first needed. */
export interface LazySigner extends PaymentSigner {
  unlock(): Promise<void>
}

/** The key of a wallet as a signer: where nothing is signed, no password is asked for. */
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
