import { Command, Option } from 'commander'

/** The groups of `gatehouse help` in their order, named by the tasks of administrators. */
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

/** A command of the library `commander` that also has a group in the help, and examples. */
export class GatehouseCommand extends Command {
  /** Command lines, each without `gatehouse` at the beginning. */
  readonly exampleLines: string[] = []
  /** Set by `answersFromConfiguration`. */
  hasConfiguration = false
  /** Set by `repairsSettings`. */
  isRepair = false

  override createCommand(name?: string): GatehouseCommand {
    return new GatehouseCommand(name)
  }

  /** Sets the group that the command has in `gatehouse help`. */
  inGroup(group: CommandGroup): this {
    return this.helpGroup(`${group}:`)
  }

  /** Adds at least two working command lines, each without `gatehouse` at the beginning: `list-orgs --search acme`. */
  examples(first: string, second: string, ...more: readonly string[]): this {
    this.exampleLines.push(first, second, ...more)
    return this.addHelpText('after', () =>
      ['', 'Examples:', ...this.exampleLines.map((line) => `  gatehouse ${line}`)].join('\n'),
    )
  }

  /** Adds an option whose value is one of `values`. Help, completion and the check of the option know the values. */
  choice(flags: string, description: string, values: readonly string[], preset?: string): this {
    const option = new Option(flags, description).choices(values)
    return this.addOption(preset === undefined ? option : option.default(preset))
  }

  /** Adds the option `--watch` to a command that lists. With it, `cli.run` repeats the work. */
  watchable(): this {
    return this.option('--watch [seconds]', `list again and again, every ${defaultWatchSeconds} seconds or as given`)
  }

  /** Marks a command whose answers depend on the configuration. The command names the configuration that it has read. */
  answersFromConfiguration(): this {
    this.hasConfiguration = true
    return this
  }

  /** Marks a command that repairs settings of the database. It runs without settings that are wrong. */
  repairsSettings(): this {
    this.isRepair = true
    return this
  }

  /** Adds the option `--dry-run` to a command that changes several things. Its action receives the flag `dryRun`. */
  dryRunnable(): this {
    return this.option('--dry-run', 'only say what would be changed, and change nothing', false)
  }
}

/** The seconds between two runs of a command with `--watch`. Undefined without the option. */
export const watchFlag = (value: unknown): string | undefined => {
  if (value === undefined || value === false) return undefined
  return value === true ? defaultWatchSeconds : String(value)
}
