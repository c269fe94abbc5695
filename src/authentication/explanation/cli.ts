import { z } from 'zod'
import { parseFlags } from '../../core/terminal.ts'
import { plainText } from '../../core/wire.ts'
import type { Commands } from '../../feature.ts'
import { ExplainSignIn, failureList, type SignInEntry, type SignInExplanation, SignInFailure } from './contract.ts'
import type { Explanations } from './service.ts'

interface Needs {
  readonly explanations: Explanations
}

const { reason: Reason, method: Method } = failureList.query.shape
const ListFailedSignIns = failureList.query.safeExtend({
  user: plainText(320, 1).optional(),
  client: plainText(255, 1).optional(),
  why: Reason,
})

const json = ({ since, account, entries, ...rest }: z.output<typeof SignInExplanation>) => ({
  since: since.toISOString(),
  account: account === null ? null : { ...account, banExpires: account.banExpires?.toISOString() ?? null },
  entries: entries.map((entry) => ({ ...entry, at: entry.at.toISOString(), lastAt: entry.lastAt.toISOString() })),
  ...rest,
})

/** A row of the table. The command that can help is on a line of its own below the row, so that it can be copied. */
const rowOf = ({ at, text, rule, address, clientId }: z.output<typeof SignInEntry>) => ({
  time: at.toISOString(),
  what: text,
  rule,
  from: address,
  ...(clientId === null ? {} : { client: clientId }),
})

export const explanationCommands: Commands<Needs> = (program, cli) => {
  program
    .command('explain-sign-in')
    .inGroup('People')
    .answersFromConfiguration()
    .description(
      'Explain why a user cannot sign in: recent activity, the rule that decided, the remedy, and the result of a sign-in now. Takes a user, an address, a client address or a request.',
    )
    .option('--user <email, name or id>', 'the user')
    .option('--email <address>', 'an address that was typed, with an account or without')
    .option('--address <address>', 'only from this client address')
    .option('--request <id>', 'only one request, as the error page shows it')
    .option('--since <time>', 'from this day or time on (ISO 8601); the last seven days without it')
    .option('--client <client id>', 'leave out what concerns other applications')
    .examples(
      'explain-sign-in --user ann@example.com',
      'explain-sign-in --email nobody@example.com --since 2026-11-20',
      'explain-sign-in --address 192.0.2.7 --json',
    )
    .action(async (flags: unknown) => {
      const query = parseFlags(ExplainSignIn, flags)
      await cli.run(async ({ explanations }, principal) => {
        const explanation = await explanations.explain(principal, query)
        const { account, entries, verdict, isCut } = explanation
        // If the user cannot sign in now, only the remedies for the present obstacles are printed. Remedies for earlier failures would
        // not help.
        const past = verdict.outcome === 'cannot-sign-in' ? [] : entries.slice(-5)
        const remedies = [...new Set([...verdict.obstacles, ...past].flatMap(({ remedy }) => remedy ?? []))]
        const whose = account === null ? 'What happened' : `History of ${account.email}`
        return {
          json: json(explanation),
          sections: [
            { title: isCut ? `${whose} (the newest)` : whose, rows: entries.map(rowOf) },
            { title: `Now: ${verdict.text}`, rows: verdict.obstacles.map(({ text, rule }) => ({ obstacle: text, rule })) },
            ...(remedies.length === 0 ? [] : [{ title: 'What may help', rows: remedies.map((command) => ({ command })) }]),
          ],
        }
      })
    })
  program
    .command('list-failed-sign-ins')
    .inGroup('People')
    .description('List failed sign-ins, newest first, page by page, with the meaning of each. Typed addresses are not stored.')
    .choice('--why <reason>', 'why it failed', Reason.unwrap().options)
    .choice('--method <method>', 'the sign-in method of the attempt', Method.unwrap().options)
    .option('--user <email, name or id>', 'of this user')
    .option('--address <address>', 'from this client address')
    .option('--client <client id>', 'refusals of this application')
    .option('--provider <id>', 'with this provider')
    .option('--since <time>', 'from this day or time on (ISO 8601)')
    .option('--until <time>', 'before this day or time')
    .choice('--order <order>', 'oldest or newest first', ['asc', 'desc'], 'desc')
    .option('--limit <number>', 'how many at most', '50')
    .option('--after <next>', 'the page behind another')
    .watchable()
    .examples(
      'list-failed-sign-ins --why wrong-password --since 2026-11-20',
      'list-failed-sign-ins --user ann@example.com --json',
      'list-failed-sign-ins --client shop',
      'list-failed-sign-ins --address 192.0.2.7 --watch',
    )
    .action(async (flags: unknown) => {
      // The flag for the reason of a failure is `--why`, because every command has `--reason` for the reason of the command itself.
      const { why: reason, client: clientId, ...query } = parseFlags(ListFailedSignIns, flags)
      await cli.run(async ({ explanations }, principal) => {
        const { rows: failures, next } = await explanations.listFailures(principal, { ...query, clientId, reason })
        const rows = failures.map(({ at, what: reason, text: what, userId: user, address: from, attempts }) => ({
          ...{ time: at.toISOString(), reason, what, user, from, attempts },
        }))
        return { json: failures.map((failure) => z.encode(SignInFailure, failure)), rows, next }
      })
    })
}
