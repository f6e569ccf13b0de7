/* SPDX-License-Identifier: MIT */
/* By TFTP (RFC 1350), with firmware's PXE: UEFI 2.10, 24.3 "EFI_PXE_BASE_CODE_PROTOCOL". */
#include <efi.h>
#include <efilib.h>
#include <efipxebc.h>

#include "lib/format.h"
#include "boot/uefi/log_target.h"
#include "boot/uefi/pxe.h"

/* That of the device which the loader came from, or, after an HTTP boot or from a stick, the first that there is. */
static EFI_PXE_BASE_CODE_PROTOCOL *find_pxe(const struct log_target *target)
{
    EFI_PXE_BASE_CODE_PROTOCOL *pxe;
    if (target->device != NULL && !EFI_ERROR(BS->HandleProtocol(target->device, &PxeBaseCodeProtocol, (void **)&pxe)))
        return pxe;
    return EFI_ERROR(BS->LocateProtocol(&PxeBaseCodeProtocol, NULL, (void **)&pxe)) ? NULL : pxe;
}

bool log_server_ready(const struct log_target *target, struct log_trouble *trouble)
{
    if (find_pxe(target) != NULL)
        return true;
    return log_fails(trouble, "firmware offers no network (PXE) to send it by", EFI_SUCCESS);
}

bool log_to_server(const struct log_target *target, const void *bytes, size_t size, struct log_place *place,
                   struct log_trouble *trouble)
{
    EFI_PXE_BASE_CODE_PROTOCOL *const pxe = find_pxe(target);
    EFI_STATUS status = EFI_SUCCESS;
    EFI_IP_ADDRESS server;
    UINT64 length = size;
    char name[40];

    if (pxe == NULL)
        return log_server_ready(target, trouble);
    if (!pxe->Mode->Started)
        status = pxe->Start(pxe, FALSE);
    if (EFI_ERROR(status))
        return log_fails(trouble, "cannot start firmware's PXE", status);
    if (pxe->Mode->UsingIpv6)
        return log_fails(trouble, "this was started by IPv6, and logs go by IPv4 only", EFI_SUCCESS);
    if (!pxe->Mode->DhcpAckReceived)
        status = pxe->Dhcp(pxe, FALSE);
    if (EFI_ERROR(status))
        return log_fails(trouble, "no answer by DHCP", status);

    pxe_server(pxe->Mode, &server);
    for (unsigned i = 0; i < 4 && target->options->log_server != 0; i++)
        server.v4.Addr[i] = (UINT8)(target->options->log_server >> (24 - 8 * i));
    log_name(0, name);
    format(place->text, sizeof place->text, "tftp://%u.%u.%u.%u/%s", server.v4.Addr[0], server.v4.Addr[1],
           server.v4.Addr[2], server.v4.Addr[3], name);
    if (server.Addr[0] == 0)
        return log_fails(trouble, "DHCP names no server; give its address as log=tftp,ADDRESS", EFI_SUCCESS);
    status = pxe->Mtftp(pxe, EFI_PXE_BASE_CODE_TFTP_WRITE_FILE, (void *)(UINTN)bytes, TRUE, &length, NULL, &server,
                        (UINT8 *)name, NULL, FALSE);
    if (EFI_ERROR(status) && pxe->Mode->TftpErrorReceived) {
        static char error[sizeof pxe->Mode->TftpError.ErrorString + 40];
        format(error, sizeof error, "the TFTP server refused it: %.126s",
               (const char *)pxe->Mode->TftpError.ErrorString);
        return log_fails(trouble, error, EFI_SUCCESS);
    }
    if (EFI_ERROR(status))
        return log_fails(trouble, "the TFTP server did not take it", status);
    return true;
}
