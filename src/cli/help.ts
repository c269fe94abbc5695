import { type Command, Help } from 'commander'
import { commandGroups, GatehouseCommand } from './command.ts'

/** The first sentence of a command's description. The list of commands shows it. */
export const summaryOf = (command: Command): string => {
  const [first = ''] = command.description().split(/(?<=\.) |: (?=[a-z])|; /)
  return command.summary() || first.replace(/\.$/, '')
}

/** The commands that `gatehouse help` lists. */
export const listedCommands = (program: GatehouseCommand): readonly GatehouseCommand[] =>
  new Help().visibleCommands(program).filter((command) => command instanceof GatehouseCommand)

/** Sets up the help. It lists the groups in the order of `commandGroups`, and the commands of a group in the order of their registration. */
export const configureHelp = (program: GatehouseCommand): void => {
  const place = (command: Command) => commandGroups.findIndex((group) => `${group}:` === command.helpGroup())
  program.configureHelp({
    showGlobalOptions: true,
    visibleCommands: (command) => new Help().visibleCommands(command).toSorted((a, b) => place(a) - place(b)),
    groupItems: (_, visible, groupOf) => Map.groupBy(visible, groupOf),
    subcommandDescription: summaryOf,
  })
  const help = new GatehouseCommand('help')
    .argument('[command]', 'the command')
    .inGroup('Start and run')
    .description('Show what a command does, with examples.')
    .examples('help list-orgs', 'help')
  program.addHelpCommand(help)
  program.addHelpText('after', '\nWhat a command takes, with examples: gatehouse help <command>')
}
