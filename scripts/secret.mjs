// npm run secret: what an agent of your own needs to be paid by the local economy.

import { root } from './prepare.mjs'

const { makeSecret } = await import('../apps/local/dist/make-secret.js')
process.exitCode = await makeSecret(process.argv.slice(2), root)
