import { authorizationSpoils, envelopeSpoils } from './envelope-spoils.ts'
import { headerSpoils } from './header-spoils.ts'
import type { PaymentSpoil } from './payment-spoil.ts'
import { signatureSpoils } from './signature-spoils.ts'
import { termsSpoils } from './terms-spoils.ts'

/** Every way we know to get a payment wrong, by name. */
export const PAYMENT_SPOILS: { readonly [name: string]: PaymentSpoil } = {
  ...headerSpoils(),
  ...envelopeSpoils(),
  ...authorizationSpoils(),
  ...signatureSpoils(),
  ...termsSpoils(),
}
