/** How much a finding matters: `failed` keeps gatehouse from working, `warning` will hurt, `notice` is worth knowing. */
export const severities = ['ok', 'notice', 'warning', 'failed'] as const
export type Severity = (typeof severities)[number]

/** The values for the placeholders of a text. */
export type Values = Readonly<Record<string, string | number>>

/** One thing that needs a person, or with `ok` one that is in order and worth saying: its remedy is empty. */
export interface Finding {
  readonly severity: Severity
  /** The text of the check and the values for its placeholders: the console has the texts in other languages. */
  readonly code: string
  readonly values: Values
  /** The finding, in one sentence. */
  readonly message: string
  /** The remedy: a command, or a key of the configuration. */
  readonly remedy: string
}

/** The possible findings of checks, by code: texts with the names of values in braces. */
export type FindingTexts = Readonly<Record<string, Pick<Finding, 'message' | 'remedy'>>>

/** The text with its values in the places of their names. */
export const fillPlaces = (text: string, values: Values): string =>
  text.replace(/\{(\w+)\}/g, (_, name: string) => String(values[name] ?? ''))

/** Declares what a check may find, and makes its findings. Codes are told apart among all checks. */
export const defineFindings = <const T extends FindingTexts>(texts: T) => ({
  texts,
  found: (severity: Finding['severity'], code: keyof T & string, values: Values = {}): Finding => {
    const { message = '', remedy = '' } = texts[code] ?? {}
    return { severity, code, values, message: fillPlaces(message, values), remedy: fillPlaces(remedy, values) }
  },
})

/** Looks at one thing that may need a person. A feature lists its checks where it registers; `doctor` and the admin API run them. */
export interface Check {
  /** `mail`, `signing-keys`: small letters with dashes. */
  readonly name: string
  /** True when it asks a service elsewhere: it runs when a person asks, not every few minutes by itself. */
  readonly asksElsewhere?: boolean
  /** All that it may find. */
  readonly texts: FindingTexts
  /** The findings; empty when there are none. Reads only what an index answers. */
  run(): Promise<readonly Finding[]>
}

/** A check by name with its findings; `ok` where there are none. */
export interface CheckResult {
  readonly check: string
  readonly severity: Severity
  readonly message: string
  readonly remedy: string | null
  readonly code: string | null
  readonly values: Values
}

/** Of every check. */
export const anyCheck = defineFindings({
  'check-failed': { message: 'it could not be checked: {why}', remedy: 'see the log of the daemon' },
})

/** Runs the checks one after the other. One that throws is a finding itself: the others still run. */
export const runChecks = async (checks: readonly Check[]): Promise<CheckResult[]> => {
  const results: CheckResult[] = []
  for (const { name, run } of checks) {
    const findings = await run().catch((error: unknown): readonly Finding[] => [
      anyCheck.found('failed', 'check-failed', { why: (error as Error).message }),
    ])
    if (findings.length === 0) results.push({ check: name, severity: 'ok', message: '', remedy: null, code: null, values: {} })
    for (const finding of findings)
      results.push({ check: name, ...finding, remedy: finding.severity === 'ok' ? null : finding.remedy })
  }
  return results
}
