import { useState } from 'react'
import { rulesContract } from '../../../src/billing/dry-run/contract.ts'
import { ApiError } from '../../../src/http/client.ts'
import { FieldFrame } from '../../shared/field.tsx'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button, Notice } from '../../shared/ui.tsx'
import { usePermission } from '../api.ts'
import type { Setting, Value } from '../settings/draft.ts'
import { isSame } from '../settings/draft.ts'
import { ReviewDialog } from '../settings/review.tsx'
import { useSettings } from '../settings/use-settings.ts'
import { ActionButton } from '../shared/action-button.tsx'
import { Panel } from '../shared/facts.tsx'
import { useProblem } from '../shared/failure.tsx'
import { Line, Lines } from '../shared/query-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { CustomerLink, OwnerLink } from './parts.tsx'
import { fieldsOf, rulesOfText, textOfRules } from './rules-text.ts'
import type { Difference, Totals } from './use-dry-run.ts'
import { useDryRun } from './use-dry-run.ts'

/** A short text about what changes for an owner. */
const Changes = ({ difference: { gains, loses, changes, plan, seats } }: { readonly difference: Difference }) => {
  const { t } = useI18n()
  const shown = ({ value, quantity }: Difference['changes'][number]['before']) => String(quantity ?? value)
  return (
    <span className="changes">
      {gains.map((name) => (
        <Badge key={`+${name}`} tone="good">
          + {name}
        </Badge>
      ))}
      {loses.map((name) => (
        <Badge key={`-${name}`} tone="bad">
          − {name}
        </Badge>
      ))}
      {changes.map(({ name, before, after }) => (
        <Badge key={name} tone="warn">
          {shown(before) === shown(after)
            ? t('billing.otherEnd', { name })
            : t('billing.insteadOf', { name, before: shown(before), after: shown(after) })}
        </Badge>
      ))}
      {plan === null ? null : (
        <Badge tone="plain">
          {t('billing.planChange', { before: plan.before ?? t('console.none'), after: plan.after ?? t('console.none') })}
        </Badge>
      )}
      {seats === null ? null : (
        <Badge tone="plain">
          {t('billing.seatChange', {
            before: seats.before ?? t('billing.unlimited'),
            after: seats.after ?? t('billing.unlimited'),
          })}
        </Badge>
      )}
    </span>
  )
}

const Differences = ({ totals: { differences, changed } }: { readonly totals: Totals }) => {
  const { t } = useI18n()
  return (
    <>
      <Lines empty="">
        {differences.map((difference) => {
          const { customerIds, userId, organizationId, name } = difference
          const link = userId === null && organizationId === null ? null : { userId, organizationId, name: name ?? '' }
          return (
            <Line
              key={customerIds[0]}
              title={<OwnerLink link={link} />}
              detail={
                <>
                  {customerIds.map((id) => (
                    <span key={id} className="line-source">
                      <CustomerLink id={id} />
                    </span>
                  ))}
                  <Changes difference={difference} />
                </>
              }
            />
          )
        })}
      </Lines>
      {differences.length < changed ? (
        <p className="panel-note">{t('billing.firstOf', { shown: differences.length, count: changed })}</p>
      ) : null}
    </>
  )
}

const Outcome = ({ totals, step }: { readonly totals: Totals; readonly step: 'running' | 'stopped' | 'done' }) => {
  const { t } = useI18n()
  const { customers, owners, changed, entitlements, plans, seats } = totals
  return (
    <>
      <p className="reading" role="status">
        {t(`billing.dryRun.${step}`, { customers, owners })}{' '}
        <strong>{changed === 0 ? t('billing.nobodyChanged') : t('billing.changedCount', { count: changed })}</strong>
      </p>
      {entitlements.length + plans + seats === 0 ? null : (
        <table className="counts">
          <caption className="visually-hidden">{t('billing.counts')}</caption>
          <thead>
            <tr>
              <th scope="col">{t('billing.entitlement')}</th>
              <th scope="col">{t('billing.gain')}</th>
              <th scope="col">{t('billing.lose')}</th>
              <th scope="col">{t('billing.getOther')}</th>
            </tr>
          </thead>
          <tbody>
            {entitlements.map(({ name, gains, loses, changes }) => (
              <tr key={name}>
                <th scope="row">{name}</th>
                <td>{gains}</td>
                <td>{loses}</td>
                <td>{changes}</td>
              </tr>
            ))}
            {(
              [
                ['billing.thePlan', plans],
                ['billing.theSeats', seats],
              ] as const
            ).map(([key, count]) =>
              count === 0 ? null : (
                <tr key={key}>
                  <th scope="row">{t(key)}</th>
                  <td />
                  <td />
                  <td>{count}</td>
                </tr>
              ),
            )}
          </tbody>
        </table>
      )}
      <Differences totals={totals} />
    </>
  )
}

/** Shows which fields of the rules have problems. Any other error is shown with the server's message. */
const Problem = ({ error }: { readonly error: unknown }) => {
  const problem = useProblem()
  const issues = error instanceof ApiError ? error.issues : []
  return (
    <div role="alert" className="panel-body">
      <Notice tone="bad">
        {issues.length === 0
          ? problem(error)
          : issues.map(({ path, message }) => (
              <span key={`${path} ${message}`} className="line-source">
                <code>{path}</code> {message}
              </span>
            ))}
      </Notice>
    </div>
  )
}

/** Returns the change of settings that puts these rules into effect. A setting about entitlements that the rules do not contain is removed. */
const changeOf = (rules: Readonly<Record<string, unknown>>, settings: readonly Setting[]) => {
  const { grace, ...rest } = rules
  const fields =
    typeof grace === 'object' && grace !== null ? Object.entries(grace).map(([name, value]) => [`grace.${name}`, value]) : []
  const wanted = new Map([...Object.entries(rest), ...fields].map(([name, value]) => [`billing.${name}`, value as Value]))
  const own = settings.filter(({ key }) => /^billing\.(entitlements|plans|freeSeats|grace\..+)$/.test(key))
  return {
    set: Object.fromEntries([...wanted].filter(([key, value]) => !isSame(own.find((one) => one.key === key)?.value, value))),
    unset: own.filter(({ key, stored }) => stored !== null && !wanted.has(key)).map(({ key }) => key),
  }
}

/** A button that saves the compared rules as settings. */
const SaveRules = ({ rules, changed }: { readonly rules: Readonly<Record<string, unknown>>; readonly changed: number }) => {
  const { t } = useI18n()
  const { data: answer } = useSettings()
  const [isReviewed, setIsReviewed] = useState(false)
  const locked = answer?.settings.find(({ key, isLocked }) => key === 'billing.entitlements' && isLocked)
  return (
    <div className="panel-body">
      <ActionButton
        permission="settings:update"
        kind="primary"
        blocked={locked === undefined ? undefined : t('setting.locked', { place: locked.from ?? locked.source })}
        onClick={() => setIsReviewed(true)}
      >
        {t('billing.saveRules')}
      </ActionButton>
      {isReviewed && answer !== undefined ? (
        <ReviewDialog
          answer={answer}
          draft={changeOf(rules, answer.settings)}
          title={changed === 0 ? t('billing.saveNobody') : t('billing.saveCount', { count: changed })}
          onClose={() => setIsReviewed(false)}
        />
      ) : null}
    </div>
  )
}

/**
 * Compares pasted rules (YAML of the configuration file) with the rules in effect, and shows what would change for customers. The
 * comparison itself changes nothing.
 */
export const DryRun = ({ rules }: { readonly rules: object }) => {
  const { t } = useI18n()
  const [text, setText] = useState(() => textOfRules(rules))
  const [wrong, setWrong] = useState<string>()
  const [compared, setCompared] = useState<string>()
  const { isAllowed: readsSettings } = usePermission('settings:read')
  const { state, start, stop } = useDryRun()
  const given = () => {
    try {
      return rulesOfText(text)
    } catch {
      return undefined
    }
  }
  const run = () => {
    try {
      const body = rulesOfText(text)
      setWrong(undefined)
      setCompared(text)
      start(body)
    } catch (error) {
      stop()
      setWrong(error instanceof Error ? error.message : t('problem.unknown'))
    }
  }
  return (
    <Panel
      title={t('billing.tryRules')}
      actions={
        <ShowCall target={rulesContract.dryRunRules} input={{ body: { billing: given() ?? {}, limit: 200, rows: 50 } }} isQuery />
      }
    >
      <div className="panel-body">
        <FieldFrame label={t('billing.otherRules')} error={wrong} hint={t('billing.otherRulesHint')}>
          {(control) => (
            <textarea
              {...control}
              className="rules-input"
              rows={Math.min(28, Math.max(12, text.split('\n').length + 1))}
              autoComplete="off"
              autoCapitalize="none"
              spellCheck={false}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
          )}
        </FieldFrame>
        {state.step === 'running' ? (
          <Button kind="secondary" onClick={stop}>
            {t('billing.stop')}
          </Button>
        ) : (
          <Button onClick={run}>{t('billing.dryRun')}</Button>
        )}
      </div>
      {state.step === 'failed' ? <Problem error={state.error} /> : null}
      {state.step === 'running' || state.step === 'stopped' || state.step === 'done' ? (
        <Outcome totals={state.totals} step={state.step} />
      ) : null}
      {state.step === 'done' && compared === text && readsSettings ? (
        <SaveRules rules={fieldsOf(given())} changed={state.totals.changed} />
      ) : null}
    </Panel>
  )
}
