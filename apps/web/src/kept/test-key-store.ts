import type { KeyStore } from '../wallet/test-wallet/test-wallet.ts'
import { openDatabase } from './database.ts'

/** The key of the test wallet, in this browser. */
export const testKeyStore: KeyStore = {
  read: async () => await (await openDatabase()).get('kept', 'test-wallet'),
  async write(key) {
    await (await openDatabase()).put('kept', key, 'test-wallet')
  },
}
