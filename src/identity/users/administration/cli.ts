import { z } from 'zod'
import { parseFlags } from '../../../core/terminal.ts'
import { plainText } from '../../../core/wire.ts'
import type { Commands } from '../../../feature.ts'
import { AdministeredUser, userList } from './contract.ts'
import type { UserAdministration } from './service.ts'

const ListUsers = userList.query
const GetUser = z.object({ user: plainText(320, 1) })

export const userCommands: Commands<{ readonly userAdministration: UserAdministration }> = (program, cli) => {
  program
    .command('list-users')
    .inGroup('People')
    .description('List users, newest first, page by page. A page of a filtered list may be short and still go on.')
    .examples('list-users --search ada', 'list-users --role support --json', 'list-users --second-factor overdue')
    .option('--search <words>', 'beginnings of words of the name, the address or the user name')
    .option('--role <role>', 'those with this role')
    .option('--banned <true or false>', 'those who are banned, or are not')
    .choice('--second-factor <state>', 'those who have one, have to add one, or are late', ['on', 'required', 'overdue'])
    .option('--verified <true or false>', 'those whose address is verified, or is not')
    .option('--created-since <time>', 'created at this time or later (ISO 8601)')
    .option('--created-until <time>', 'created before this time')
    .option('--sort <column>', 'createdAt, name or email', 'createdAt')
    .option('--order <order>', 'asc or desc', 'desc')
    .option('--limit <number>', 'how many at most', '50')
    .option('--after <next>', 'the page behind another')
    .action(async (flags: unknown) => {
      const query = parseFlags(ListUsers, flags)
      await cli.run(async ({ userAdministration }) => {
        const { users, next } = await userAdministration.list(query)
        const rows = users.map(({ id, name, email, emailVerified, role, banned, secondFactor, createdAt }) => ({
          ...{ id, name, email, emailVerified, role, banned, secondFactor, createdAt: createdAt.toISOString() },
        }))
        return { json: users.map((user) => z.encode(AdministeredUser, user)), rows, next }
      })
    })
  program
    .command('get-user')
    .inGroup('People')
    .description('Show a user.')
    .examples('get-user --user ada@example.com', 'get-user --user ada@example.com --json')
    .requiredOption('--user <email, name or id>', 'the user')
    .action(async (flags: unknown) => {
      const { user: named } = parseFlags(GetUser, flags)
      await cli.run(async ({ userAdministration }) => ({
        json: z.encode(AdministeredUser, await userAdministration.require(named)),
      }))
    })
}
