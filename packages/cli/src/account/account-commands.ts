import type { Command } from 'commander'
import { type CommandMaker, PASSWORD_OPTION, withPlatformOptions } from '../command-maker.ts'
import type { RawLoginOptions } from './login.ts'
import type { RawSecretOptions } from './manage-secrets.ts'
import type { RawWebhookOptions } from './manage-webhook.ts'
import type { RawDashboardOptions } from './show-dashboard.ts'

/** `farebox login`: opens a session at a platform with a key on this machine. */
export const loginCommand: CommandMaker = (command, world, end) => {
  command
    .summary('signs an owner in at a platform, by key')
    .description('Sign in at a platform as the owner of your agents, with a key of yours. Costs nothing.')
    .option('--wallet [name]', 'the wallet that holds your agents; without a name, the one that pays calls')
    .option(...PASSWORD_OPTION)
    .option('--browser', 'sign your browser in as well: it shows a code, which you type here')
  return withPlatformOptions(command)
    .addHelpText('after', LOGIN_EXAMPLES)
    .action(async (options: RawLoginOptions) => end(await (await import('./login.ts')).login(world, options)))
}

/** `farebox logout`: ends the session. */
export const logoutCommand: CommandMaker = (command, world, end) =>
  withPlatformOptions(command.summary('ends that session').description('End the session at a platform.'))
    .addHelpText('after', '\nExample\n  farebox logout')
    .action(async (options: RawLoginOptions) =>
      end(await (await import('./login.ts')).logout(world, options)),
    )

/** `farebox whoami`: shows the signed-in owner. */
export const whoamiCommand: CommandMaker = (command, world, end) =>
  withPlatformOptions(
    command
      .summary('who is signed in, and until when')
      .description('Show who is signed in at a platform, and until when. Exit code 1 where nobody is.'),
  )
    .addHelpText('after', '\nExample\n  farebox whoami --json')
    .action(async (options: RawLoginOptions) =>
      end(await (await import('./login.ts')).whoami(world, options)),
    )

/** `farebox dashboard [agent id]`. */
export const dashboardCommand: CommandMaker = (command, world, end) => {
  command
    .summary('your agents: listing, availability, badge, jobs, earnings')
    .description('Show your agents as their platform sees them, and your secrets.')
    .argument('[agent id]', 'one of them')
    .option('--days <count>', 'how far back jobs and earnings go, 1 to 30 (default: 7)')
  return withPlatformOptions(command)
    .addHelpText('after', '\nExamples\n  farebox dashboard\n  farebox dashboard 7 --days 30 --json')
    .action(async (agentId: string | undefined, options: RawDashboardOptions) =>
      end(await (await import('./show-dashboard.ts')).showDashboard(world, agentId, options)),
    )
}

/** `farebox secret create|list|rotate|revoke`. */
export const secretCommand: CommandMaker = (secret, world, end) => {
  secret
    .summary('what an agent needs to be paid: its FACILITATOR_SECRET')
    .description('Make, list, replace and revoke the FACILITATOR_SECRETs of your agents.')
    .addHelpText('after', SECRET_EXAMPLES)
  const shownOnce = (command: Command): Command =>
    command.option('--env', 'print FACILITATOR_SECRET=…, a line of a .env file')
  withPlatformOptions(
    shownOnce(
      secret
        .command('create')
        .description('make a secret; it is shown this once')
        .option('--for <wallet...>', 'the wallets it takes payments to (default: yours, and your agents’)'),
    ),
  )
    .addHelpText('after', '\nExample\n  farebox secret create --env >> .env')
    .action(async (options: RawSecretOptions) =>
      end(await (await import('./manage-secrets.ts')).makeOwnerSecret(world, options)),
    )
  withPlatformOptions(secret.command('list').description('list your secrets, without their values'))
    .addHelpText('after', '\nExample\n  farebox secret list')
    .action(async (options: RawSecretOptions) =>
      end(await (await import('./manage-secrets.ts')).listSecrets(world, options)),
    )
  withPlatformOptions(
    shownOnce(
      secret
        .command('rotate')
        .description('make the secret that replaces another one; both work until that one is revoked')
        .argument('<secret id>', 'the one to be replaced'),
    ),
  )
    .addHelpText('after', '\nExample\n  farebox secret rotate 4f1c… --env')
    .action(async (secretId: string, options: RawSecretOptions) =>
      end(await (await import('./manage-secrets.ts')).rotateSecret(world, secretId, options)),
    )
  withPlatformOptions(
    secret
      .command('revoke')
      .description('revoke a secret within seconds, for good')
      .argument('<secret id>', 'as farebox secret list shows it')
      .option('--yes', 'confirm without being asked; required without a terminal'),
  )
    .addHelpText('after', '\nExample\n  farebox secret revoke 4f1c…')
    .action(async (secretId: string, options: RawSecretOptions) =>
      end(await (await import('./manage-secrets.ts')).revokeSecret(world, secretId, options)),
    )
  return secret
}

/** `farebox webhook set|show|test|remove`. */
export const webhookCommand: CommandMaker = (webhook, world, end) => {
  webhook
    .summary('a URL that is called when an agent is warned, offline, or back')
    .description('Have the platform call a URL of yours when an agent is warned, offline, or back.')
    .addHelpText('after', WEBHOOK_EXAMPLES)
  const under = (name: string, description: string): Command =>
    webhook.command(name).description(description).argument('<agent id>', 'the number of the agent')
  withPlatformOptions(
    under('set', 'set the URL; shows a new secret, this once').argument('<https_url>', 'where notices go'),
  )
    .addHelpText('after', '\nExample\n  farebox webhook set 7 https://me.example/hook')
    .action(async (agentId: string, url: string, options: RawWebhookOptions) =>
      end(await (await import('./manage-webhook.ts')).setAgentWebhook(world, agentId, url, options)),
    )
  for (const [name, description] of [
    ['show', 'where notices go, and how the newest one went'],
    ['test', 'send a signed notice now'],
    ['remove', 'send no more notices'],
  ] as const) {
    withPlatformOptions(under(name, description))
      .addHelpText('after', `\nExample\n  farebox webhook ${name} 7`)
      .action(async (agentId: string, options: RawWebhookOptions) => {
        const { removeWebhook, showWebhook, testWebhook } = await import('./manage-webhook.ts')
        const run = { show: showWebhook, test: testWebhook, remove: removeWebhook }[name]
        end(await run(world, agentId, options))
      })
  }
  return webhook
}

const LOGIN_EXAMPLES = `
The session is kept in ~/.farebox/sessions, readable by you alone. It lasts a day, or two hours unused. The message that
is signed names the platform (EIP-4361); one that names another platform is not signed. The browser that --browser signs
in has a session of its own, which ends with this one.

Examples
  farebox login --platform https://platform.example --wallet default
  farebox login --browser
  farebox whoami
  farebox dashboard
`

const SECRET_EXAMPLES = `
A secret takes payments to the wallets it names and can do nothing else. Give it to the agent as FACILITATOR_SECRET.

Examples
  farebox secret create --env >> .env
  farebox secret list
`

const WEBHOOK_EXAMPLES = `
Every notice has the header farebox-signature: t=<Unix seconds>,v1=<hex of HMAC-SHA256 over "<t>.<body>">, under the
secret that farebox webhook set showed.

Examples
  farebox webhook set 7 https://me.example/hook
  farebox webhook test 7
`
