import {
  dashboardCommand,
  loginCommand,
  logoutCommand,
  secretCommand,
  webhookCommand,
  whoamiCommand,
} from './account/account-commands.ts'
import { callCommand } from './call/call-command.ts'
import { checkCommandWith } from './check/check-command.ts'
import type { CommandMaker } from './command-maker.ts'
import { devCommand } from './dev/dev-command.ts'
import { flowCommand } from './flow/flow-command.ts'
import { initCommand } from './init/init-command.ts'
import { limitsCommand } from './limits/limits-command.ts'
import { deregisterCommand, registerCommand } from './register/register-command.ts'
import { passToRuntime } from './start/pass-to-runtime.ts'
import type { CommandName } from './terminal/text.ts'
import { typesCommand } from './types/types-command.ts'
import { verifyReceiptCommand } from './verify-receipt/verify-receipt-command.ts'
import { walletCommand } from './wallet/wallet-command.ts'

/** The function that configures each command. */
export const COMMANDS: { readonly [name in CommandName]: CommandMaker } = {
  init: initCommand,
  dev: devCommand,
  types: typesCommand,
  start: passToRuntime,
  validate: passToRuntime,
  check: checkCommandWith(async (world, url, options) => {
    const { checkOwnFlows } = await import('./flow/check-own-flows.ts')
    return await checkOwnFlows(world, url, options)
  }),
  register: registerCommand,
  deregister: deregisterCommand,
  login: loginCommand,
  whoami: whoamiCommand,
  logout: logoutCommand,
  dashboard: dashboardCommand,
  secret: secretCommand,
  webhook: webhookCommand,
  call: callCommand,
  flow: flowCommand,
  limits: limitsCommand,
  'verify-receipt': verifyReceiptCommand,
  wallet: walletCommand,
}
