import { useState } from 'react'
import { applicationContract } from '../../../../src/oidc/clients/contract.ts'
import { useI18n } from '../../../shared/text.tsx'
import { Notice } from '../../../shared/ui.tsx'
import { ActionButton } from '../../shared/action-button.tsx'
import { Confirm } from '../../shared/confirm.tsx'
import { Facts, Panel } from '../../shared/facts.tsx'
import { Named } from '../../shared/named.tsx'
import { ShowCall } from '../../shared/show-call.tsx'
import type { Application, ListedApplication } from '../parts.tsx'
import { Words } from '../parts.tsx'
import { useUpdate } from '../use-update.ts'

type Review = Application['review']

const words = {
  approved: { done: 'clients.approvedNow', title: 'clients.approveTitle', action: 'clients.approve' },
  restricted: { done: 'clients.restrictedNow', title: 'clients.restrictTitle', action: 'clients.restrict' },
  none: { done: 'clients.reviewClearedNow', title: 'clients.reviewClearTitle', action: 'clients.reviewClear' },
} as const
const consequences = {
  approved: ['clients.approveFollows', 'clients.approveChanges'],
  restricted: ['clients.restrictFollows', 'clients.restrictChanges'],
  none: ['clients.reviewClearFollows'],
} as const

interface ReviewProps {
  readonly application: Application
  readonly review: Review
  readonly onClose: () => void
}

const ReviewDialog = ({ application, review, onClose }: ReviewProps) => {
  const { t } = useI18n()
  const { clientId, name } = application
  const to = review ?? 'none'
  const update = useUpdate(application, t(words[to].done))
  return (
    <Confirm
      title={t(words[to].title, { name })}
      consequences={consequences[to].map((key) => t(key))}
      action={t(words[to].action)}
      isDangerous={review === 'restricted'}
      reason="optional"
      onConfirm={(reason) => update({ review }, reason)}
      onClose={onClose}
      foot={
        <ShowCall
          target={applicationContract.updateApplication}
          input={{ params: { clientId }, body: { review } }}
          command={['update-client', clientId, '--review', to]}
        />
      }
    />
  )
}

/** Shows who registered an application. If the application registered itself, an administrator can approve or reject it here. */
export const RegistrationPanel = ({ application }: { readonly application: ListedApplication }) => {
  const { t } = useI18n()
  const [asked, setAsked] = useState<{ readonly review: Review }>()
  const { registeredBy, registrant, review, contacts, softwareId, softwareVersion } = application
  const offered = (['approved', 'restricted', null] as const).filter((one) => one !== review)
  const isOwn = registeredBy === 'administrator'
  return (
    <Panel
      title={t('clients.registration')}
      actions={
        isOwn
          ? null
          : offered.map((one) => (
              <ActionButton key={one ?? 'none'} permission="clients:update" onClick={() => setAsked({ review: one })}>
                {t(words[one ?? 'none'].action)}
              </ActionButton>
            ))
      }
    >
      {registeredBy === 'anonymous' && review === null ? <Notice tone="wait">{t('clients.unknownNotice')}</Notice> : null}
      <Facts
        rows={[
          [t('clients.registeredBy'), t(`clients.registeredBy.${registeredBy}`)],
          [t('clients.registrant'), registrant === null ? undefined : <Named key="registrant" of={registrant} />],
          [t('clients.review'), isOwn ? undefined : t(`clients.review.${review ?? 'none'}`)],
          [t('clients.contacts'), contacts.length === 0 ? undefined : <Words key="contacts" words={contacts} />],
          [t('clients.software'), softwareId === null ? undefined : `${softwareId} ${softwareVersion ?? ''}`.trim()],
        ]}
      />
      {asked === undefined ? null : (
        <ReviewDialog application={application} review={asked.review} onClose={() => setAsked(undefined)} />
      )}
    </Panel>
  )
}
