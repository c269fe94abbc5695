import { useState } from 'react'
import { ApiError } from '../../../src/http/client.ts'
import { useI18n } from '../../shared/text.tsx'

const isUnverified = (error: unknown) => error instanceof ApiError && error.code === 'ADDRESS_IS_NOT_VERIFIED'

/**
 * For a change that the server refuses because the user's address is unverified. The dialog then shows `field`, which offers to make the
 * change anyway. `asked` runs the change, `body` and `flags` contain the answer, and `forget` clears the answer when another user is
 * chosen.
 */
export const useUnverified = () => {
  const { t } = useI18n()
  const [isRefused, setIsRefused] = useState(false)
  const [isAllowed, setIsAllowed] = useState(false)
  return {
    body: isAllowed ? { unverified: true } : {},
    flags: isAllowed ? ['--unverified'] : [],
    asked: async <T,>(change: Promise<T>): Promise<T> => {
      try {
        return await change
      } catch (error) {
        if (isUnverified(error)) setIsRefused(true)
        throw error
      }
    },
    forget: () => {
      setIsRefused(false)
      setIsAllowed(false)
    },
    field: isRefused ? (
      <label className="check">
        <input
          type="checkbox"
          name="unverified"
          checked={isAllowed}
          onChange={({ currentTarget }) => setIsAllowed(currentTarget.checked)}
        />
        {t('organizations.unverified')}
      </label>
    ) : null,
  }
}
