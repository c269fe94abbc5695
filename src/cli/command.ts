import { Command, Option } from 'commander'

/** The groups of `gatehouse help`, named by the tasks of administrators, in their order. */
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

/** A command of commander, with its group in help and its examples. */
export class GatehouseCommand extends Command {
  /** Command lines, without `gatehouse` at the beginning. */
  readonly exampleLines: string[] = []
  /** Set by `answersFromConfiguration`. */
  hasConfiguration = false
  /** Set by `repairsSettings`. */
  isRepair = false

  override createCommand(name?: string): GatehouseCommand {
    return new GatehouseCommand(name)
  }

  /** The group of the command in `gatehouse help`. */
  inGroup(group: CommandGroup): this {
    return this.helpGroup(`${group}:`)
  }

  /** At least two working command lines, without `gatehouse` at the beginning: `list-orgs --search acme`. */
  examples(first: string, second: string, ...more: readonly string[]): this {
    this.exampleLines.push(first, second, ...more)
    return this.addHelpText('after', () =>
      ['', 'Examples:', ...this.exampleLines.map((line) => `  gatehouse ${line}`)].join('\n'),
    )
  }

  /** An option for one of `values`, which help, completion and the check of the option know. */
  choice(flags: string, description: string, values: readonly string[], preset?: string): this {
    const option = new Option(flags, description).choices(values)
    return this.addOption(preset === undefined ? option : option.default(preset))
  }

  /** Adds the option `--watch` to a command that lists: `cli.run` repeats its work. */
  watchable(): this {
    return this.option('--watch [seconds]', `list again and again, every ${defaultWatchSeconds} seconds or as given`)
  }

  /** Marks a command whose answers depend on the configuration: the command names the configuration that it has read. */
  answersFromConfiguration(): this {
    this.hasConfiguration = true
    return this
  }

  /** Marks a command that repairs settings of the database: it runs without them where they are wrong. */
  repairsSettings(): this {
    this.isRepair = true
    return this
  }

  /** Adds the option `--dry-run` to a command that changes several things: the flag `dryRun` of its action. */
  dryRunnable(): this {
    return this.option('--dry-run', 'only say what would be changed, and change nothing', false)
  }
}

/** The seconds between two runs of a command with `--watch`; undefined without. */
export const watchFlag = (value: unknown): string | undefined => {
  if (value === undefined || value === false) return undefined
  return value === true ? defaultWatchSeconds : String(value)
}
