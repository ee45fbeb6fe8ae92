// npm run secret: the settings with which your own agent is paid by the local economy.

import { root } from './prepare.mjs'

const { makeSecret } = await import('../apps/local/dist/make-secret.js')
process.exitCode = await makeSecret(process.argv.slice(2), root)
