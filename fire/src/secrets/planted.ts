import { randomBytes } from 'node:crypto'
import { PLANTED_MARK as MARK } from '@farebox/local/src/testing/program-suspects'
import type { SecretScan } from './secret-scan.ts'

/** The secrets of a stage that its programs are told, beside those that the programs make themselves. */
export type Planted = ReturnType<typeof plantSecrets>

/** Makes secrets like nothing else, and makes them known to a scan. */
export function plantSecrets(scan: SecretScan) {
  const make = (name: string): string => {
    const secret = `${MARK}-${name.toLowerCase().replaceAll(/\W+/g, '-')}-${randomBytes(12).toString('hex')}`
    scan.plant(name, secret)
    return secret
  }
  const key = (name: string): string => {
    const secret = `0x${randomBytes(32).toString('hex')}`
    scan.plant(name, secret)
    return secret
  }
  return {
    databasePassword: make('password of DATABASE_URL'),
    redisPassword: make('password of SERVICE_STORE'),
    nodeKeyInPath: make('key in the path of a node URL'),
    nodeKeyInQuery: make('key in the query of a node URL'),
    facilitatorPassword: make('password of FACILITATOR_URL'),
    adminToken: make('FACILITATOR_ADMIN_TOKEN'),
    walletPassword: make('password of a wallet'),
    /** One that no facilitator knows. */
    wrongSecret: make('a FACILITATOR_SECRET that is refused'),
    payerKey: key('private key of the payer'),
    relayerKey: key('private key of the relayer'),
  }
}
