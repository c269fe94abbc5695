import { useQuery } from '@tanstack/react-query'
import { rulesContract } from '../../../src/billing/dry-run/contract.ts'
import type { WireApi } from '../../../src/http/contract.ts'
import type { Answer } from '../../shared/api.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge } from '../../shared/ui.tsx'
import { useConsole } from '../api.ts'
import { CopyField } from '../shared/copy-field.tsx'
import { Empty } from '../shared/empty.tsx'
import { Facts, Panel } from '../shared/facts.tsx'
import { Failure } from '../shared/failure.tsx'
import { Page, PageSkeleton } from '../shared/page.tsx'
import { Line, Lines } from '../shared/query-panel.tsx'
import { ShowCall } from '../shared/show-call.tsx'
import { DryRun } from './dry-run.tsx'

type Rules = Answer<WireApi<typeof rulesContract>['entitlementRules']>
type Rule = Rules['entitlements'][number]

const kinds = ['product', 'price', 'benefit', 'meter'] as const

const example = `billing:
  entitlements:
    - name: pro
      product: prod_pro
      plan: Pro`

/** Returns a function that describes the values of a rule, without its name. */
const useGiven = () => {
  const { t } = useI18n()
  return ({ value, quantity, combine }: Rule): string => {
    if (quantity === 'seats') return t('billing.gives.seats')
    if (quantity === 'balance') return t('billing.gives.balance')
    if (quantity !== undefined) return t(combine === 'max' ? 'billing.gives.greatest' : 'billing.gives.each', { quantity })
    return value === undefined || value === true ? t('billing.gives.name') : String(value)
  }
}

const RuleLine = ({ rule, index }: { readonly rule: Rule; readonly index: number }) => {
  const { t } = useI18n()
  const given = useGiven()
  const [kind, ids] = kinds.map((one) => [one, rule[one]] as const).find(([, one]) => one !== undefined) ?? ['product', []]
  return (
    <Line
      title={
        <>
          {rule.name} <span className="who-detail">{`billing.entitlements.${index}`}</span>
        </>
      }
      detail={
        <>
          {t(`billing.kind.${kind}`)} <code className="break">{(ids ?? []).join(', ')}</code>
        </>
      }
    >
      {given(rule)} {rule.plan === undefined ? null : <Badge tone="good">{t('billing.plan', { plan: rule.plan })}</Badge>}
    </Line>
  )
}

const day = 86_400

const InEffect = ({ rules }: { readonly rules: Rules }) => {
  const { t } = useI18n()
  const { entitlements, plans, freeSeats, grace } = rules
  const graceOf = (seconds: number | 'always') =>
    seconds === 'always'
      ? t('billing.grace.always')
      : seconds % day === 0
        ? t('billing.grace.days', { count: seconds / day })
        : t('billing.grace.seconds', { count: seconds })
  return (
    <Panel title={t('billing.inEffect')} actions={<ShowCall target={rulesContract.entitlementRules} isQuery />}>
      {entitlements.length === 0 ? (
        <>
          <Empty icon="card" title={t('billing.rulesEmpty')} text={t('billing.rulesEmptyText')} />
          <div className="panel-body">
            <CopyField label={t('billing.rulesExample')} value={example} isBlock />
          </div>
        </>
      ) : (
        <Lines empty="">
          {entitlements.map((rule, index) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: a rule is identified by its place.
            <RuleLine key={index} rule={rule} index={index} />
          ))}
        </Lines>
      )}
      <div className="panel-part">
        <Facts
          rows={[
            [t('billing.plans'), plans.length === 0 ? t('billing.plansOfRules') : plans.join(', ')],
            [
              t('billing.freeSeats'),
              freeSeats === undefined || freeSeats === 'unlimited' ? t('billing.unlimited') : String(freeSeats),
            ],
            [
              t('billing.graceTitle'),
              <ul key="grace" className="words">
                {Object.entries(grace).map(([status, seconds]) => (
                  <li key={status}>
                    <code>{status}</code> {graceOf(seconds)}
                  </li>
                ))}
              </ul>,
            ],
          ]}
        />
      </div>
    </Panel>
  )
}

/** The screen with the rules for entitlements. It can also show what other rules would change for the present customers. */
export const RulesScreen = () => {
  const { t } = useI18n()
  const { api } = useConsole()
  const { data: rules, error, refetch } = useQuery(api.query(rulesContract, 'entitlementRules'))
  if (rules === undefined)
    return error === null ? <PageSkeleton /> : <Failure error={error} isPage onRetry={() => void refetch()} />
  return (
    <Page title={t('billing.rules')} lead={t('billing.rulesLead')}>
      <div className="columns">
        <InEffect rules={rules} />
        <DryRun rules={rules} />
      </div>
    </Page>
  )
}
