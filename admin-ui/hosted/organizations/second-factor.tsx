import { useState } from 'react'
import { organizationContract } from '../../../src/organizations/contract.ts'
import { useI18n } from '../../shared/text.tsx'
import { Badge, Button } from '../../shared/ui.tsx'
import { Confirm } from '../account/confirm.tsx'
import { OutcomeNotice, useAction, useOutcome } from '../account/outcome.tsx'
import { Panel } from '../account/section.tsx'
import { useHosted } from '../context.tsx'
import { useOrganization } from './context.ts'

/**
 * A switch that decides whether members need two factors. The server accepts the change only from a session that was itself started with
 * two factors.
 */
export const SecondFactorPanel = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { organization, reload } = useOrganization()
  const outcome = useOutcome()
  const { busy, run } = useAction(outcome)
  const [asking, setAsking] = useState(false)
  const isRequired = organization.requiresSecondFactor
  const turn = (requiresSecondFactor: boolean) => {
    setAsking(false)
    const call = async () => {
      const body = { organizationId: organization.id, data: { requiresSecondFactor } }
      await api.of(organizationContract).updateOrganization({ body })
      await reload()
    }
    run('factor', call, t(requiresSecondFactor ? 'org.factorOn' : 'org.factorOff'))
  }
  return (
    <Panel id="second-factor" title={t('org.factor')}>
      <p className="quiet panel-lead">
        {t('org.factorLead')} {isRequired ? <Badge tone="good">{t('org.factorIsOn')}</Badge> : null}
      </p>
      <OutcomeNotice of={outcome} />
      <div className="panel-action">
        {isRequired ? (
          <Button kind="secondary" working={busy === 'factor'} onClick={() => turn(false)}>
            {t('org.factorLift')}
          </Button>
        ) : (
          <Button kind="secondary" working={busy === 'factor'} onClick={() => setAsking(true)}>
            {t('org.factorRequire')}
          </Button>
        )}
      </div>
      {asking ? (
        <Confirm
          title={t('org.factorTitle')}
          text={t('org.factorText')}
          action={t('org.factorRequire')}
          onConfirm={() => turn(true)}
          onCancel={() => setAsking(false)}
        />
      ) : null}
    </Panel>
  )
}
