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
import { startCommand, validateCommand } from './start/pass-to-runtime.ts'
import { walletCommand } from './wallet/wallet-command.ts'
import { typesCommand } from './types/types-command.ts'
import { verifyReceiptCommand } from './verify-receipt/verify-receipt-command.ts'

/** In the order of an agent's life, which is the order of the help. */
export const COMMANDS: readonly CommandMaker[] = [
  initCommand,
  devCommand,
  typesCommand,
  startCommand,
  validateCommand,
  checkCommandWith(async (world, url, options) => {
    const { checkOwnFlows } = await import('./flow/check-own-flows.ts')
    return await checkOwnFlows(world, url, options)
  }),
  registerCommand,
  deregisterCommand,
  loginCommand,
  whoamiCommand,
  logoutCommand,
  dashboardCommand,
  secretCommand,
  webhookCommand,
  callCommand,
  flowCommand,
  limitsCommand,
  verifyReceiptCommand,
  walletCommand,
]
