import { z } from 'zod'
import { parseFlags } from '../../core/terminal.ts'
import type { GatehouseCommand } from '../command.ts'
import type { Shell } from '../run.ts'
import { signIn, signOut } from './connection.ts'
import { createCredentials } from './credentials.ts'
import { requireRemote } from './remote.ts'

const Login = z.object({ apiKeyStdin: z.boolean() })

export const loginCommands = (program: GatehouseCommand, shell: Shell): void => {
  const { terminal } = shell
  const credentials = createCredentials(terminal)
  program
    .command('login')
    .inGroup('Start and run')
    .description(
      'Sign in at an instance on another machine (--remote, GATEHOUSE_REMOTE): commands with --remote then work there, with your permissions. You confirm a code in a browser; an API key takes its place in scripts.',
    )
    .option(
      '--api-key-stdin',
      'keep an API key of the instance, from standard input or a prompt, in the place of a sign-in',
      false,
    )
    .examples('login --remote https://id.example.com', 'login --remote https://id.example.com --api-key-stdin < key.txt')
    .action(async (flags: unknown) => {
      const { apiKeyStdin } = parseFlags(Login, flags)
      const instance = requireRemote(shell.globals(), terminal)
      if (apiKeyStdin) credentials.write(instance, { apiKey: await shell.readSecret('API key', true, '--api-key-stdin') })
      else {
        const credential = await signIn(instance, ({ code, address, complete }) =>
          terminal.stderr.write(`Open ${complete}\nor enter the code ${code} at ${address}\n`),
        )
        const before = credentials.read(instance)
        credentials.write(instance, credential)
        if (before !== undefined) await signOut(instance, before)
      }
      await shell.print({
        json: { instance, credentials: credentials.path },
        text: `Signed in at ${instance}. Commands with --remote ${instance} work there now.`,
      })
    })
  program
    .command('logout')
    .inGroup('Start and run')
    .description('End the sign-in of this machine at an instance, and forget its tokens.')
    .examples('logout --remote https://id.example.com', 'logout')
    .action(async () => {
      const instance = requireRemote(shell.globals(), terminal)
      const found = credentials.read(instance)
      if (found !== undefined) await signOut(instance, found)
      const isSignedOut = credentials.remove(instance)
      await shell.print({
        json: { instance, isSignedOut },
        text: isSignedOut ? `Signed out at ${instance}.` : `Nobody was signed in at ${instance}.`,
      })
    })
}
