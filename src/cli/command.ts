import { Command, Option } from 'commander'

/** The groups of `gatehouse help`, named by the task of an administrator, in their order. */
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

/** A command of gatehouse: commander's, with its group in help and its examples. */
export class GatehouseCommand extends Command {
  /** Command lines without `gatehouse` in front. */
  readonly exampleLines: string[] = []
  /** See `answersFromConfiguration`. */
  hasConfiguration = false
  /** See `repairsSettings`. */
  isRepair = false

  override createCommand(name?: string): GatehouseCommand {
    return new GatehouseCommand(name)
  }

  /** The group of `gatehouse help` that it stands in. */
  inGroup(group: CommandGroup): this {
    return this.helpGroup(`${group}:`)
  }

  /** At least two command lines that work, without `gatehouse` in front: `list-orgs --search acme`. */
  examples(first: string, second: string, ...more: readonly string[]): this {
    this.exampleLines.push(first, second, ...more)
    return this.addHelpText('after', () =>
      ['', 'Examples:', ...this.exampleLines.map((line) => `  gatehouse ${line}`)].join('\n'),
    )
  }

  /** An option that takes one of `values`: help, completion and the check know them. */
  choice(flags: string, description: string, values: readonly string[], preset?: string): this {
    const option = new Option(flags, description).choices(values)
    return this.addOption(preset === undefined ? option : option.default(preset))
  }

  /** Gives a command that lists the option `--watch`: `cli.run` then does its work again and again. */
  watchable(): this {
    return this.option('--watch [seconds]', `list again and again, every ${defaultWatchSeconds} seconds or as given`)
  }

  /** Marks a command whose answers depend on the configuration: it says which it has read. */
  answersFromConfiguration(): this {
    this.hasConfiguration = true
    return this
  }

  /** Marks a command that puts settings of the database right: it runs without them where they are wrong. */
  repairsSettings(): this {
    this.isRepair = true
    return this
  }

  /** Gives a command that changes many things the option `--dry-run`: the flag `dryRun` of its action. */
  dryRunnable(): this {
    return this.option('--dry-run', 'only say what would be changed, and change nothing', false)
  }
}

/** The seconds between two runs of a command with `--watch`; undefined without. */
export const watchFlag = (value: unknown): string | undefined => {
  if (value === undefined || value === false) return undefined
  return value === true ? defaultWatchSeconds : String(value)
}
