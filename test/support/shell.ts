/**
 * Runs lines of a documentation page in a real shell. `gatehouse` is a small script there that calls this process, which saves the start
 * of Node for each command. Pipes, redirections and variables are the shell's own.
 */
import { execFile } from 'node:child_process'
import { chmodSync, existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { delimiter, join } from 'node:path'
import { text } from 'node:stream/consumers'
import { inherited, runCommand } from './binary.ts'

export interface Said {
  readonly exitCode: number
  readonly stdout: string
  readonly stderr: string
}

export interface Shell {
  /** The directory in which the lines run. */
  readonly directory: string
  /** Runs lines, and stops at the first line that fails. Variables stay set for later lines. */
  run(lines: string): Promise<Said>
  /** Removes the directory, too. */
  stop(): Promise<void>
}

/**
 * Each call writes its arguments and sends its input. The answer is the standard output of the command. Standard error and the exit code are in files.
 * Everything but the call itself is done by bash, because each program that it started would take longer than most commands.
 */
const script = `#!/bin/bash
call=$GATEHOUSE_SHELL/call.$$
printf '%s\\0' "$PWD" "$@" > "$call.arguments"
[ -r /proc/$$/environ ] || env -0 > "$call.environment"
curl -sS --fail-with-body --max-time 100 --unix-socket "$GATEHOUSE_SHELL/socket" --data-binary @- "http://gatehouse/?call=$$" || exit 99
mapfile < "$call.stderr"
printf '%s' "\${MAPFILE[@]}" >&2
read -r code < "$call.code"
exit "$code"
`

const partsOf = (path: string) => readFileSync(path, 'utf8').split('\0').slice(0, -1)

/** Opens a shell. `env` is the environment of every line. It has to name the database for commands. */
export const openShell = async (env: Readonly<Record<string, string>>): Promise<Shell> => {
  const home = mkdtempSync(join(tmpdir(), 'gatehouse-shell-'))
  const directory = join(home, 'work')
  const programs = join(home, 'bin')
  mkdirSync(directory)
  mkdirSync(programs)
  const place = (name: string, text: string) => {
    writeFileSync(join(programs, name), text)
    chmodSync(join(programs, name), 0o755)
  }
  place('gatehouse', script)

  /** Runs the command of a process of the shell, and returns its output. */
  const answer = async (pid: string, input: string) => {
    const [given, environment] = [join(home, `call.${pid}.arguments`), join(home, `call.${pid}.environment`)]
    const [cwd = '', ...args] = partsOf(given)
    const variables = partsOf(existsSync(environment) ? environment : `/proc/${pid}/environ`).map((pair): [string, string] => {
      const [name = '', ...value] = pair.split('=')
      return [name, value.join('=')]
    })
    const env = Object.fromEntries(variables.filter(([name]) => /^(GATEHOUSE_(?!SHELL$)|PORT$)/.test(name)))
    // A declaration refers to variables of the process, so the shell's secrets are set here, too.
    const added = variables.filter(([name]) => name.endsWith('_SECRET') && !name.startsWith('GATEHOUSE_'))
    for (const [name, value] of added) process.env[name] = value
    // Relative paths count from the directory of the command. Only one command runs at a time, because the shell waits for each.
    const before = process.cwd()
    process.chdir(cwd)
    try {
      const { exitCode, stdout, stderr } = await runCommand(args, env, input)
      writeFileSync(join(home, `call.${pid}.stderr`), stderr)
      writeFileSync(join(home, `call.${pid}.code`), `${exitCode}\n`)
      return stdout
    } finally {
      process.chdir(before)
      for (const [name] of added) delete process.env[name]
    }
  }
  const server = createServer((request, response) => {
    const pid = new URL(request.url ?? '', 'http://gatehouse').searchParams.get('call') ?? ''
    text(request)
      .then((input) => answer(pid, input))
      .then(
        (output) => response.end(output),
        (error: unknown) => response.writeHead(500).end(String(error)),
      )
  })
  await new Promise<void>((resolve) => server.listen(join(home, 'socket'), resolve))

  const variables = join(home, 'variables')
  return {
    directory,
    run: (lines) =>
      new Promise((resolve) => {
        const before = existsSync(variables) ? `. ${variables}\n` : ''
        const child = execFile(
          'bash',
          ['-c', `set -a\n${before}set -eo pipefail\n${lines}\nunset GATEHOUSE_SHELL\nexport -p > ${variables}`],
          {
            cwd: directory,
            env: { ...inherited(), ...env, GATEHOUSE_SHELL: home, PATH: [programs, process.env['PATH']].join(delimiter) },
            maxBuffer: 1 << 26,
          },
          (error, stdout, stderr) =>
            resolve({ exitCode: error === null ? 0 : typeof error.code === 'number' ? error.code : -1, stdout, stderr }),
        )
        child.stdin?.end()
      }),
    stop: () =>
      new Promise((resolve) => {
        server.close(() => {
          rmSync(home, { recursive: true, force: true })
          resolve()
        })
        server.closeAllConnections()
      }),
  }
}
