import { variableOf } from '../../core/environment.ts'
import { inShell, UsageError } from '../../core/terminal.ts'
import type { GatehouseCommand } from '../command.ts'
import { hasPassword } from '../globals.ts'
import type { Shell } from '../run.ts'
import { openDialogue, silentDialogue } from './dialogue.ts'
import { type Answers, writeConfiguration } from './file.ts'
import { askAll } from './questions.ts'

interface Flags {
  readonly smtpUrl?: string
  readonly mailFrom?: string
  readonly adminEmail?: string
  readonly file?: string
  readonly yes?: boolean
  readonly force?: boolean
}

/** The commands that the operator should run after `init`. */
const nextSteps = ({ file, adminEmail }: Answers): readonly string[] => {
  const config = `--config ${inShell(file)}`
  const admin = adminEmail === 'none' ? 'ada@example.com' : adminEmail
  return [
    `gatehouse serve ${config}`,
    `gatehouse migrate ${config} && gatehouse create-user ${config} --role admin --verified --email ${inShell(admin)} --name Administrator`,
  ]
}

const init = async (shell: Shell, flags: Flags) => {
  const { terminal } = shell
  const { env } = terminal
  const globals = shell.globals()
  for (const [flag, value] of [
    ['--database-url', globals.databaseUrl],
    ['--smtp-url', flags.smtpUrl],
  ] as const)
    if (hasPassword(value))
      throw new UsageError(`${flag}: must not hold a password; answer the question, or pass it in the variable`)
  const dialogue = flags.yes === true ? silentDialogue(terminal) : openDialogue(terminal)
  const variable = (name: string) => variableOf(env, name)
  const port = globals.port ?? variable('GATEHOUSE_PORT') ?? variable('PORT')
  if (port !== undefined && !/^\d{1,5}$/.test(port))
    throw new UsageError(`--port: must be a whole number (is ${JSON.stringify(port)})`)
  try {
    const { answers, mayReplace } = await askAll(dialogue, {
      url: globals.url ?? variable('GATEHOUSE_URL') ?? `http://localhost:${port ?? 3000}`,
      host: globals.host ?? variable('GATEHOUSE_HOST') ?? '127.0.0.1',
      port: port === undefined ? undefined : Number(port),
      trustedProxies: variable('GATEHOUSE_TRUSTED_PROXIES'),
      dataDir: globals.dataDir ?? variable('GATEHOUSE_DATA_DIR') ?? './data',
      databaseUrl: globals.databaseUrl ?? variable('GATEHOUSE_DATABASE_URL') ?? 'sqlite',
      adminEmail: flags.adminEmail ?? 'none',
      mailFrom: flags.mailFrom ?? variable('GATEHOUSE_MAIL_FROM'),
      smtpUrl: flags.smtpUrl ?? variable('GATEHOUSE_SMTP_URL') ?? 'none',
      file: flags.file ?? 'gatehouse.yaml',
      mayReplace: flags.force === true,
      isAsking: flags.yes !== true,
    })
    const written = writeConfiguration(answers, mayReplace)
    const [serve = '', create = ''] = nextSteps(answers)
    const text = [
      ...written.map((path) => `Written: ${path}`),
      '',
      'Start it, and open the link that it prints to become the administrator:',
      `  ${serve}`,
      'Or make the administrator before, at the terminal:',
      `  ${create}`,
    ]
    await shell.print({ json: { written, next: [serve, create] }, text: text.join('\n') })
  } finally {
    dialogue.close()
  }
}

export const initCommand = (program: GatehouseCommand, shell: Shell): void => {
  program
    .command('init')
    .inGroup('Start and run')
    .description(
      'Ask six questions, try each answer (address and port, database, a test mail), and write the configuration. Secrets go to files of their own in the data directory.',
    )
    .option('--smtp-url <url>', 'mail server, without a password (GATEHOUSE_SMTP_URL may hold one)')
    .option('--mail-from <sender>', 'sender of mails, such as Acme <no-reply@acme.example>')
    .option('--admin-email <address>', 'address of the administrator, who gets the test mail')
    .option('--file <file>', 'file to write (default: gatehouse.yaml)')
    .option('--yes', 'do not ask: take options, variables and defaults, and refuse what does not work')
    .option('--force', 'overwrite the file without being asked')
    .examples(
      'init',
      'init --url https://auth.example.com --data-dir /var/lib/gatehouse --file /etc/gatehouse.yaml',
      "init --yes --url https://auth.example.com --mail-from 'Acme <no-reply@acme.example>' --json",
    )
    .action((flags: Flags) => init(shell, flags))
}
