import { fileURLToPath } from 'node:url'
import { COMPILER } from '@farebox/contracts/internal/compiler'
import {
  spendPermissionsBytecode,
  spendPermissionsDeployedBytecode,
} from '@farebox/contracts/spend-permissions'
import type { DeployCommand } from '@farebox/server/internal/deploy/run-deploy-command'
import { PLATFORM_VARIABLES } from './variables.ts'

/** `farebox-platform deploy-permissions`: deploys the SpendPermissions contract to the chain of PLATFORM_NETWORK. */
export const DEPLOY_PERMISSIONS: DeployCommand = {
  name: 'farebox-platform deploy-permissions',
  summary: 'puts the SpendPermissions contract on a chain, after showing what it costs',
  contract: {
    name: 'SpendPermissions',
    creationCode: spendPermissionsBytecode,
    runtimeCode: spendPermissionsDeployedBytecode,
  },
  verification: {
    contract: 'SpendPermissions.sol:SpendPermissions',
    compiler: COMPILER.version,
    settings: COMPILER.settings,
    constructorArguments: '0x',
    standardJsonInput: fileURLToPath(
      import.meta.resolve('@farebox/contracts/verification/spend-permissions.json'),
    ),
  },
  networkVariable: { name: 'PLATFORM_NETWORK', help: PLATFORM_VARIABLES.PLATFORM_NETWORK },
  rpcUrlHelp: PLATFORM_VARIABLES.EVM_RPC_URL,
  settingsFor: address => [`# nothing to set: SpendPermissions is found at ${address} on every chain`],
}
