import { z } from 'zod'
import { parseFlags } from '../../../core/terminal.ts'
import type { Commands } from '../../../feature.ts'
import { EndpointName } from '../../administration/contract.ts'
import type { Endpoints, IssuedSecret } from '../endpoints.ts'

export interface EndpointNeeds {
  readonly billing: { readonly endpoints: Endpoints }
  readonly config: { readonly url: string }
}

const NewSecret = z.object({ name: EndpointName, secretStdin: z.boolean() })

/**
 * The output for a new secret. It shows a random secret, which the command never shows again. It does not show a secret that the operator
 * chose.
 */
const shown = ({ name, secret }: IssuedSecret, url: string, isMade: boolean, another: string) => ({
  json: { name, url: `${url}/webhooks/${name}`, ...(isMade ? { secret } : {}) },
  done: `The endpoint ${name} has the secret. For another one run: ${another}`,
})

export const endpointCommands: Commands<EndpointNeeds> = (program, cli) => {
  const secretOf = (fromStdin: boolean) => (fromStdin ? cli.readSecret('Secret', true) : undefined)
  program
    .command('add-webhook-endpoint')
    .inGroup('Billing')
    .description(
      'Add an endpoint that accepts signed billing events. Creates a secret, shown once, unless the secret of the sender is given.',
    )
    .requiredOption('--name <name>', 'name in the address: /webhooks/<name>')
    .option('--secret-stdin', "read the sender's secret from standard input", false)
    .examples('add-webhook-endpoint --name polar-eu', 'add-webhook-endpoint --name polar-eu --secret-stdin < secret.txt')
    .action(async (flags: unknown) => {
      const { name, secretStdin } = parseFlags(NewSecret, flags)
      const secret = await secretOf(secretStdin)
      await cli.run(async ({ billing, config }, principal) =>
        shown(
          await billing.endpoints.add(principal, name, secret),
          config.url,
          secret === undefined,
          cli.remedies().rotateWebhookSecret(name),
        ),
      )
    })
  program
    .command('rotate-webhook-secret')
    .inGroup('Billing')
    .description(
      'Give an endpoint a new secret. The old ones stay valid until the sender has changed over and --finish takes them away.',
    )
    .requiredOption('--name <name>', 'name of the endpoint')
    .option('--secret-stdin', "read the sender's new secret from standard input", false)
    .option('--finish', 'take all secrets away but the newest', false)
    .examples('rotate-webhook-secret --name polar-eu', 'rotate-webhook-secret --name polar-eu --finish')
    .action(async (flags: unknown) => {
      const { name, secretStdin, finish } = parseFlags(NewSecret.extend({ finish: z.boolean() }), flags)
      const secret = finish ? undefined : await secretOf(secretStdin)
      await cli.run(async ({ billing, config }, principal) => {
        if (!finish)
          return shown(
            await billing.endpoints.addSecret(principal, name, secret),
            config.url,
            secret === undefined,
            cli.remedies().rotateWebhookSecret(name),
          )
        await billing.endpoints.dropOldSecrets(principal, name)
        return { json: { name }, text: `Only the newest secret of ${name} is valid now.` }
      })
    })
  program
    .command('list-webhook-endpoints')
    .inGroup('Billing')
    .description('List the addresses that take signed billing events. Secrets are not shown.')
    .examples('list-webhook-endpoints', 'list-webhook-endpoints --json')
    .action(async () => {
      await cli.run(async ({ billing, config }) => {
        const rows = (await billing.endpoints.list()).map((endpoint) => ({
          name: endpoint.name,
          url: `${config.url}/webhooks/${endpoint.name}`,
          secrets: endpoint.secrets,
          configured: endpoint.isConfigured,
          updatedAt: endpoint.updatedAt?.toISOString() ?? null,
        }))
        return { json: rows, rows }
      })
    })
  program
    .command('remove-webhook-endpoint')
    .inGroup('Billing')
    .description('Remove an added endpoint. Its deliveries stay.')
    .argument('<name>', 'name of the endpoint')
    .option('--yes', 'do not ask', false)
    .examples('remove-webhook-endpoint polar-eu', 'remove-webhook-endpoint polar-eu --yes')
    .action(async (name: string, { yes }: { readonly yes: boolean }) => {
      await cli.confirm(yes, `This removes the endpoint ${name} and its secrets: later deliveries to it are refused.`)
      await cli.run(async ({ billing }, principal) => {
        await billing.endpoints.remove(principal, name)
        return { json: { name }, text: `${name} takes no more events.` }
      })
    })
}
