import { useEffect, useRef, useState } from 'react'
import { rulesContract } from '../../../src/billing/dry-run/contract.ts'
import type { CallParts } from '../../../src/http/client.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useConsole } from '../api.ts'

export type DryRunPage = Answer<WireApi<typeof rulesContract>['dryRunRules']>
export type Difference = DryRunPage['differences'][number]

/** How many owners at most are listed by name. The totals count all owners. */
const mostNamed = 100
const customersAtOnce = 250

/** The totals of the pages that were compared so far. */
export type Totals = Omit<DryRunPage, 'next'>

type State =
  | { readonly step: 'before' }
  | { readonly step: 'running' | 'stopped' | 'done'; readonly totals: Totals }
  | { readonly step: 'failed'; readonly error: unknown }

const none: Totals = { customers: 0, owners: 0, changed: 0, plans: 0, seats: 0, entitlements: [], differences: [] }

const added = (a: Totals['entitlements'], b: Totals['entitlements']): Totals['entitlements'] => {
  const counts = new Map(a.map((one) => [one.name, one]))
  for (const { name, gains, loses, changes } of b) {
    const before = counts.get(name) ?? { name, gains: 0, loses: 0, changes: 0 }
    counts.set(name, { name, gains: before.gains + gains, loses: before.loses + loses, changes: before.changes + changes })
  }
  return [...counts.values()].toSorted((one, other) => (one.name < other.name ? -1 : 1))
}

const withPage = (totals: Totals, page: DryRunPage): Totals => ({
  customers: totals.customers + page.customers,
  owners: totals.owners + page.owners,
  changed: totals.changed + page.changed,
  plans: totals.plans + page.plans,
  seats: totals.seats + page.seats,
  entitlements: added(totals.entitlements, page.entitlements),
  differences: [...totals.differences, ...page.differences],
})

/**
 * Compares the effect of other rules on all customers, page by page. Leaving the screen or calling `stop` ends the comparison; its
 * results until then stay.
 */
export const useDryRun = () => {
  const { api } = useConsole()
  const [state, setState] = useState<State>({ step: 'before' })
  const running = useRef<AbortController>(undefined)
  useEffect(() => () => running.current?.abort(), [])
  const start = async (billing: CallParts['body']) => {
    running.current?.abort()
    const run = new AbortController()
    running.current = run
    let totals = none
    setState({ step: 'running', totals })
    try {
      for (let after: string | undefined; ; ) {
        const rows = Math.max(0, mostNamed - totals.differences.length)
        const body = { billing, limit: customersAtOnce, rows, ...(after === undefined ? {} : { after }) }
        const page = await api.call(rulesContract, 'dryRunRules', { body })
        if (run.signal.aborted) return
        totals = withPage(totals, page)
        setState({ step: page.next === null ? 'done' : 'running', totals })
        if (page.next === null) return
        after = page.next
      }
    } catch (error) {
      if (!run.signal.aborted) setState({ step: 'failed', error })
    }
  }
  const stop = () => {
    running.current?.abort()
    setState((now) => (now.step === 'running' ? { step: 'stopped', totals: now.totals } : now))
  }
  return { state, start: (rules: CallParts['body']) => void start(rules), stop }
}
