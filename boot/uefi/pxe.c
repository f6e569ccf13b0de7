/* SPDX-License-Identifier: MIT */
#include "boot/uefi/pxe.h"

#include <efilib.h>
#include <efipxebc.h>

/*
 * The server's IPv4 address, from the newest reply that may contain it: DHCP's "siaddr" (RFC 2131, 2), which is 0 if
 * unset.
 */
static void find_server(const EFI_PXE_BASE_CODE_MODE *mode, EFI_IP_ADDRESS *server)
{
    const EFI_PXE_BASE_CODE_PACKET *const answer = mode->PxeReplyReceived     ? &mode->PxeReply
                                                   : mode->ProxyOfferReceived ? &mode->ProxyOffer
                                                                              : &mode->DhcpAck;
    *server = (EFI_IP_ADDRESS){ .Addr = { 0 } };
    for (unsigned i = 0; i < 4; i++)
        server->v4.Addr[i] = answer->Dhcpv4.BootpSiAddr[i];
}

EFI_STATUS pxe_read(EFI_HANDLE device, const char *name, void *bytes, UINTN *size)
{
    EFI_PXE_BASE_CODE_PROTOCOL *pxe;
    EFI_IP_ADDRESS server;
    UINT64 length = *size;

    if (device == NULL || EFI_ERROR(BS->HandleProtocol(device, &PxeBaseCodeProtocol, (void **)&pxe)) ||
        !pxe->Mode->Started || pxe->Mode->UsingIpv6 || !pxe->Mode->DhcpAckReceived)
        return EFI_NOT_FOUND;
    find_server(pxe->Mode, &server);
    if (server.Addr[0] == 0)
        return EFI_NOT_FOUND;
    EFI_STATUS status = pxe->Mtftp(pxe, EFI_PXE_BASE_CODE_TFTP_READ_FILE, bytes, FALSE, &length, NULL, &server,
                                   (UINT8 *)(UINTN)name, NULL, FALSE);
    if (status == EFI_BUFFER_TOO_SMALL)
        return status;
    *size = (UINTN)length;
    return EFI_ERROR(status) ? EFI_NOT_FOUND : EFI_SUCCESS;
}
