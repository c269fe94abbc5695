import { enrolPath } from '../../shared/account-paths.ts'
import { Icon } from '../../shared/icons.tsx'
import { Text, useI18n } from '../../shared/text.tsx'
import { Button } from '../../shared/ui.tsx'
import { useAccount } from './context.ts'
import { useNavigate } from './navigation.tsx'

/**
 * A notice in every section that says from which day a second factor is required. Renders nothing if the person already has a second
 * factor, or needs none.
 */
export const SecondFactorDue = () => {
  const { t, date } = useI18n()
  const navigate = useNavigate()
  const dueAt = useAccount().secondFactors.value?.dueAt
  if (dueAt === undefined || dueAt === null) return null
  const isOver = Date.parse(dueAt) <= Date.now()
  return (
    <section className="due" aria-label={t('twoStep.title')}>
      <Icon name="alert" />
      <p>
        <Text id={isOver ? 'twoStep.overdue' : 'twoStep.due'} values={{ date: <strong>{date(dueAt)}</strong> }} />
      </p>
      <Button onClick={() => navigate(enrolPath)}>{t('twoStep.switchOn')}</Button>
    </section>
  )
}
