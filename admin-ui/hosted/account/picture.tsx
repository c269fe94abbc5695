import { pictureContract } from '../../../src/identity/picture/contract.ts'
import { isServedHere } from '../../shared/served.ts'
import { useI18n } from '../../shared/text.tsx'
import { Avatar } from '../../shared/ui.tsx'
import { useHosted } from '../context.tsx'
import { useAccount } from './context.ts'
import { ImageChoice } from './image-choice.tsx'
import { useOutcome } from './outcome.tsx'
import { Panel } from './section.tsx'

/** A panel with the person's picture and buttons to change it. */
export const PicturePanel = () => {
  const { api } = useHosted()
  const { t } = useI18n()
  const { user, refresh } = useAccount()
  const outcome = useOutcome()
  const upload = async (body: File) => {
    await api.of(pictureContract).setPicture({ body })
    await refresh()
  }
  const remove = async () => {
    await api.of(pictureContract).removePicture()
    await refresh()
  }
  return (
    <Panel id="picture" title={t('picture.alt')}>
      <ImageChoice
        outcome={outcome}
        image={
          isServedHere(user.image) ? (
            <img className="picture-image" src={user.image} width={96} height={96} alt={t('picture.alt')} />
          ) : (
            <Avatar name={user.name} size="large" />
          )
        }
        words={{
          ...{ hint: t('picture.hint'), choose: t('picture.choose') },
          ...{ saved: t('picture.saved'), removed: t('picture.removed') },
        }}
        onUpload={upload}
        onRemove={user.image === null ? undefined : remove}
      />
    </Panel>
  )
}
