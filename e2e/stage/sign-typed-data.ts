import { TEST_KEYS } from '@farebox/local/chain/test-keys'
import { privateKeyToAccount } from 'viem/accounts'

// Signs the typed data on standard input with the payer's test key: for callers in other languages.

const chunks: Buffer[] = []
for await (const chunk of process.stdin) chunks.push(chunk as Buffer)
const account = privateKeyToAccount(TEST_KEYS.payer.privateKey)
process.stdout.write(await account.signTypedData(JSON.parse(Buffer.concat(chunks).toString('utf8'))))
