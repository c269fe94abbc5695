import { Command, Option } from 'commander'

/** The groups of commands in `gatehouse help`, in their order. They are named by what administrators want to do. */
export const commandGroups = [
  'Start and run',
  'People',
  'Organizations',
  'Applications',
  'Billing',
  'Mail and tasks',
  'Audit',
  'Instance',
] as const
export type CommandGroup = (typeof commandGroups)[number]

const defaultWatchSeconds = '2'

/** A command of the library `commander`, extended by a group in the help and by examples. */
export class GatehouseCommand extends Command {
  /** Examples of command lines, written without `gatehouse` at the beginning. */
  readonly exampleLines: string[] = []
  /** True after `answersFromConfiguration` was called. */
  hasConfiguration = false
  /** True after `repairsSettings` was called. */
  isRepair = false

  override createCommand(name?: string): GatehouseCommand {
    return new GatehouseCommand(name)
  }

  /** Sets the group under which `gatehouse help` lists the command. */
  inGroup(group: CommandGroup): this {
    return this.helpGroup(`${group}:`)
  }

  /** Adds at least two examples that work. They are written without `gatehouse` at the beginning: `list-orgs --search acme`. */
  examples(first: string, second: string, ...more: readonly string[]): this {
    this.exampleLines.push(first, second, ...more)
    return this.addHelpText('after', () =>
      ['', 'Examples:', ...this.exampleLines.map((line) => `  gatehouse ${line}`)].join('\n'),
    )
  }

  /** Adds an option that only accepts one of `values`. Help and shell completion list these values. */
  choice(flags: string, description: string, values: readonly string[], preset?: string): this {
    const option = new Option(flags, description).choices(values)
    return this.addOption(preset === undefined ? option : option.default(preset))
  }

  /** Adds the option `--watch` to a command that lists something. With the option, `cli.run` repeats the command. */
  watchable(): this {
    return this.option('--watch [seconds]', `list again and again, every ${defaultWatchSeconds} seconds or as given`)
  }

  /** Marks a command whose output depends on the configuration. The output then says which configuration the command has read. */
  answersFromConfiguration(): this {
    this.hasConfiguration = true
    return this
  }

  /** Marks a command that repairs settings in the database. It starts even if settings are wrong, and ignores these. */
  repairsSettings(): this {
    this.isRepair = true
    return this
  }

  /** Adds the option `--dry-run` to a command that changes several things. The action of the command receives it as `dryRun`. */
  dryRunnable(): this {
    return this.option('--dry-run', 'only say what would be changed, and change nothing', false)
  }
}

/** The value of `--watch`: the seconds between two runs of the command. Undefined if the option is missing. */
export const watchFlag = (value: unknown): string | undefined => {
  if (value === undefined || value === false) return undefined
  return value === true ? defaultWatchSeconds : String(value)
}
