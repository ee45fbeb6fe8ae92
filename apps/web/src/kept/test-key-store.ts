import type { KeyStore } from '../wallet/test-wallet/test-wallet.ts'
import { openBrowserDatabase } from './database.ts'

/** The store of the test wallet's key in this browser. */
export const testKeyStore: KeyStore = {
  read: async () => await (await openBrowserDatabase()).get('kept', 'test-wallet'),
  async write(key) {
    await (await openBrowserDatabase()).put('kept', key, 'test-wallet')
  },
}
